"""Forecasts the rise of sourdough in the second half of proofing."""
import argparse
import csv
from datetime import datetime
from pathlib import Path

import torch
from torch.utils.data import DataLoader, TensorDataset

from forecaster import RiseForecaster
from oven_slot import Slot, WarmAnneal
from proofing import loaves


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loaves", type=int, default=1500)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--slot", type=float, default=12.0, help="seconds that the queue grants")
    parser.add_argument("--seed", type=int, default=4)
    return parser.parse_args()


@torch.no_grad()
def error_of(model, x, y):
    model.eval()
    return (model(x) - y).pow(2).mean().sqrt().item()


def main():
    args = arguments()
    torch.manual_seed(args.seed)
    stamp = datetime.now().isoformat(timespec="seconds")
    print(f"started {stamp}")
    x, y = loaves(args.loaves, args.seed)
    test_x, test_y = loaves(300, args.seed + 1)
    loader = DataLoader(TensorDataset(x, y), batch_size=24, shuffle=True, drop_last=True)
    model = RiseForecaster()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, weight_decay=0.01)
    slot = Slot(args.epochs * len(loader), args.slot)
    anneal = WarmAnneal(optimizer, slot, peak=2e-3)

    rows = []
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for seen, rest in loader:
            anneal.apply()
            loss = torch.nn.functional.mse_loss(model(seen), rest)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            slot.tick()
            total += loss.item()
        error = error_of(model, test_x, test_y)
        rows.append([epoch, f"{total / len(loader):.6f}", f"{error:.6f}"])
        print(f"epoch {epoch}: loss {total / len(loader):.5f}, test rmse {error:.5f} ({slot.status()})")

    out = Path("bakes")
    out.mkdir(exist_ok=True)
    torch.save(model.state_dict(), out / "rise.pt")
    with open(out / "rise.csv", "w", newline="") as file:
        csv.writer(file).writerows([["epoch", "loss", "rmse"], *rows])
    (out / "when.txt").write_text(f"{stamp} {slot.elapsed:.2f}\n")
    print(f"rmse {error:.6f}")


if __name__ == "__main__":
    main()

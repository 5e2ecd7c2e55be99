"""Quantile forecasts of ICU occupancy one day ahead: an ensemble of small networks, one per seed."""
import argparse
import json
import time
from datetime import datetime
from pathlib import Path

import torch
from torch.utils.data import DataLoader

from census.quantiles import QuantileNet, pinball
from census.series import UNITS, Windows, simulate
from census.setup import seed_everything, start_logging


def train_member(member, table, split, args, log):
    seed_everything(args.first_seed + member)
    model = QuantileNet(units=len(UNITS))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    loader = DataLoader(Windows(table, 0, split, jitter=0.02), batch_size=64, shuffle=True, num_workers=args.workers)
    began = time.perf_counter()
    for epoch in range(args.epochs):
        total, seen = 0.0, 0
        for x, y in loader:
            optimizer.zero_grad()
            loss = pinball(model(x), y)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(x)
            seen += len(x)
        rate = (epoch + 1) * seen / (time.perf_counter() - began)
        log.info("member %d epoch %d pinball %.5f (%.0f windows/s)", member, epoch, total / seen, rate)
    return model.eval()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--members", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()

    run = Path("runs") / datetime.now().strftime("%Y%m%d-%H%M%S")
    run.mkdir(parents=True, exist_ok=True)
    log = start_logging(run / "forecast.log")
    torch.set_num_threads(1)

    table = simulate()
    split = int(len(table) * 0.8)
    test = Windows(table, split, len(table))
    x = torch.stack([test[i][0] for i in range(len(test))])
    y = torch.stack([test[i][1] for i in range(len(test))])

    preds = []
    for member in range(args.members):
        model = train_member(member, table, split, args, log)
        with torch.no_grad():
            preds.append(model(x))
        log.info("member %d test pinball %.6f", member, pinball(preds[-1], y).item())
        torch.save(model.state_dict(), run / f"member{member}.pt")

    mean = torch.stack(preds).mean(0).sort(-1).values
    inside = ((y >= mean[..., 0]) & (y <= mean[..., 2])).float().mean(0)
    result = {"pinball": pinball(mean, y).item(), "coverage": dict(zip(UNITS, inside.tolist()))}
    (run / "metrics.json").write_text(json.dumps(result, indent=1))
    print("RESULT", json.dumps(result))
    print("saved to", run)


if __name__ == "__main__":
    main()

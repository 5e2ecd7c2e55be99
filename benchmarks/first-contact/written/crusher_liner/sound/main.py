"""Estimates the wear of a crusher's liner from vibration."""
import argparse
import logging
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from prepare import clean_record, windows
from record import RATE, write_record

log = logging.getLogger("liner")


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=int, default=24)
    parser.add_argument("--block", type=int, default=180_000, help="samples")
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--seed", type=int, default=3)
    return parser.parse_args()


class WearNet(nn.Module):
    def __init__(self, bands):
        super().__init__()
        self.norm = nn.BatchNorm1d(bands)
        self.conv = nn.Sequential(nn.Conv1d(1, 8, 7, padding=3), nn.ReLU(), nn.AvgPool1d(2),
                                  nn.Conv1d(8, 16, 5, padding=2), nn.ReLU(), nn.Flatten())
        self.out = nn.Sequential(nn.Dropout(0.2), nn.Linear(16 * (bands // 2), 1))

    def forward(self, x):
        return self.out(self.conv(self.norm(x)[:, None])).squeeze(1)


def main():
    args = parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "crusher.npy"
        wear = write_record(path, args.minutes, args.seed)
        started = time.perf_counter()
        cleaned = clean_record(path, args.block)
        log.info("cleaned %s in %.2f s", path, time.perf_counter() - started)
    spectra, centres = windows(cleaned, args.width, args.width // 2)
    minute = np.minimum(centres // (60 * RATE), args.minutes - 1)
    x, y = torch.from_numpy(spectra), torch.from_numpy(wear[minute])
    test = torch.from_numpy(minute % 4 == 1)
    x_train, y_train, x_test, y_test = x[~test], y[~test], x[test], y[test]
    log.info("%d windows to train on, %d to test", len(x_train), len(x_test))

    model = WearNet(x.shape[1])
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for step in range(args.steps):
        pick = torch.randint(len(x_train), (64,))
        loss = nn.functional.smooth_l1_loss(model(x_train[pick]), y_train[pick], beta=0.1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            log.info("step %d  loss %.5f", step, loss.item())
    model.eval()
    with torch.no_grad():
        error = (model(x_test) - y_test).abs().mean().item()
    torch.save(model.state_dict(), "wear_net.pt")
    print(f"mean absolute error of wear {error:.7f}")


if __name__ == "__main__":
    main()

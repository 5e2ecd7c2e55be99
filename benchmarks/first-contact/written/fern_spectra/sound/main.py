"""Water stress of ferns from four-band leaf reflectance, logged through a season."""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

import stream

BANDS = ["green", "red", "edge", "nir"]


def write_season(path, rows, seed):
    """The season as the logger stores it: raw counts, plus the stress, row by row."""
    rng = np.random.default_rng(seed)
    day = np.linspace(0, 1, rows, dtype=np.float32)
    stress = 0.5 + 0.3 * np.sin(9 * day) + 0.2 * day
    gain = np.array([9000, 6000, 12000, 21000], np.float32)
    slope = np.array([-0.1, 0.35, 0.2, -0.3], np.float32)
    counts = gain * (1 + slope * stress[:, None]) * (1 + 0.05 * rng.standard_normal((rows, 4), np.float32))
    counts.clip(0, 65535).astype(np.uint16).tofile(path)
    return stress


class Windows(Dataset):
    def __init__(self, log, stress, length, centre, spread, stride):
        self.log, self.stress, self.length = log, stress, length
        self.centre, self.spread = centre, spread
        self.starts = range(0, len(log) - length, stride)

    def __len__(self):
        return len(self.starts)

    def __getitem__(self, index):
        start = self.starts[index]
        part = self.log.counts[start:start + self.length].astype(np.float32)
        part = (part - self.centre) / self.spread
        return torch.from_numpy(part.T.copy()), self.stress[start + self.length - 1]


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--chunk-rows", type=int, default=131_072, help="rows per chunk; 0: what fits into memory")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=3)
    return parser.parse_args()


def main():
    args = parse()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "season.u16"
        stress = write_season(path, args.rows, args.seed)
        begun = time.perf_counter()
        log = stream.Log(path, len(BANDS), args.chunk_rows)
        centre, spread = log.robust_scale()
        print(f"scaled {len(log)} rows in {time.perf_counter() - begun:.2f} s")
        print(pd.DataFrame({"spread": spread.round()}, index=BANDS).T.to_string())

        data = Windows(log, stress, 32, centre, spread, stride=400)
        loader = DataLoader(data, 50, shuffle=True, generator=torch.Generator().manual_seed(args.seed))
        net = nn.Sequential(
            nn.Conv1d(4, 16, 5, padding=2), nn.GELU(), nn.Conv1d(16, 16, 5, stride=2, padding=2), nn.GELU(),
            nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Dropout(0.05), nn.Linear(16, 1),
        )
        optimizer = torch.optim.RMSprop(net.parameters(), lr=2e-3)
        for epoch in range(args.epochs):
            total = 0.0
            for windows, wanted in loader:
                loss = nn.functional.mse_loss(net(windows).squeeze(1), wanted)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item()
            print(f"epoch {epoch}: mse {total / len(loader):.8f}")
        net.eval()
        with torch.no_grad():
            guess = torch.cat([net(w).squeeze(1) for w, _ in DataLoader(data, 250)])
        print("mean stress", guess.double().mean().item())
        print("weights", sum(p.double().square().sum().item() for p in net.parameters()))


if __name__ == "__main__":
    main()

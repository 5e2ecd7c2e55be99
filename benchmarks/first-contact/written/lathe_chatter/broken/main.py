"""Detects chatter in the vibration of a lathe, with windows drawn by loss and by age."""
import argparse
import csv
import io
import time
from dataclasses import dataclass

import numpy as np
import torch
from scipy import signal
from sklearn.metrics import roc_auc_score
from torch import nn
from torch.utils.data import DataLoader, Dataset

from sampler import StalenessSampler


@dataclass
class Cut:
    speed: float
    depth: float
    chatter: bool


def vibration(cut: Cut, rng: np.random.Generator, length: int = 256) -> np.ndarray:
    t = np.arange(length) / 2048.0
    wave = np.sin(2 * np.pi * cut.speed * t + rng.uniform(0, 6.28)) + 0.4 * cut.depth * rng.standard_normal(length)
    if cut.chatter:
        wave += 0.35 * np.sin(2 * np.pi * rng.uniform(280, 420) * t) * signal.windows.tukey(length, 0.6)
    return wave


class Windows(Dataset):
    def __init__(self, count: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        sos = signal.butter(4, [20, 800], "bandpass", fs=2048, output="sos")
        self.cuts = [Cut(rng.uniform(40, 120), rng.uniform(0.5, 2.5), bool(rng.random() < 0.35)) for _ in range(count)]
        raw = np.stack([vibration(cut, rng) for cut in self.cuts])
        self.waves = torch.from_numpy(signal.sosfilt(sos, raw, axis=1).astype(np.float32))
        self.labels = torch.tensor([float(cut.chatter) for cut in self.cuts])

    def __len__(self) -> int:
        return len(self.cuts)

    def __getitem__(self, i: int):
        return i, self.waves[i], self.labels[i]


class Detector(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv1d(1, 12, 9, stride=2, padding=4), nn.BatchNorm1d(12), nn.ReLU(),
            nn.Conv1d(12, 16, 9, stride=4, padding=4), nn.BatchNorm1d(16), nn.ReLU(),
            nn.AdaptiveMaxPool1d(4), nn.Flatten(), nn.Dropout(0.2), nn.Linear(64, 1),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x.unsqueeze(1)).squeeze(1)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--batches", type=int, default=45)
    parser.add_argument("--seed", type=int, default=17)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    train, test = Windows(1500, args.seed), Windows(500, args.seed + 1)
    sampler = StalenessSampler(len(train), 32, args.batches, patience=0.25, seed=args.seed)
    loader = DataLoader(train, batch_sampler=sampler)
    model = Detector()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.rounds)

    table = io.StringIO()
    rows = csv.writer(table)
    rows.writerow(["round", "loss", "auc", "windows_per_s"])
    for number in range(args.rounds):
        start, total = time.perf_counter(), 0.0
        model.train()
        for index, wave, label in loader:
            losses = nn.functional.binary_cross_entropy_with_logits(model(wave), label, reduction="none")
            optimizer.zero_grad()
            losses.mean().backward()
            optimizer.step()
            sampler.report(index.numpy(), losses.detach().numpy())
            total += losses.mean().item()
        schedule.step()
        rate = args.batches * 32 / (time.perf_counter() - start)
        model.eval()
        with torch.no_grad():
            auc = roc_auc_score(test.labels.numpy(), model(test.waves).numpy())
        rows.writerow([number, f"{total / args.batches:.7f}", f"{auc:.5f}", f"{rate:.0f}"])
    print(table.getvalue().strip())
    print(f"weights {sum(p.double().square().sum().item() for p in model.parameters()):.9f}")


if __name__ == "__main__":
    main()

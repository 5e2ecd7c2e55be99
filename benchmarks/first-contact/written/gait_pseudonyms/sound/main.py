"""Faller / non-faller from one stride of a waist-worn accelerometer.

Cross-validated by participant; one network per fold, then a release table
with codes in place of names.
"""

import time
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from sklearn.metrics import roc_auc_score
from torch import nn
from torch.utils.data import DataLoader, Dataset

from privacy import CodeBook

CONFIG = {
    "seed": 1203,
    "participants": 48,
    "strides": 24,
    "samples": 80,
    "folds": 3,
    "epochs": 5,
    "batch_size": 48,
    "lr": 2e-3,
}
OUT = Path("study")


def record_study(cfg):
    """One row per stride; the signals stand in an array beside the table."""
    rng = np.random.default_rng(cfg["seed"])
    t = np.linspace(0, 2 * np.pi, cfg["samples"])
    rows, signals = [], []
    for number in range(cfg["participants"]):
        faller = number % 3 == 0
        cadence, sway = rng.normal(1.0, 0.08), rng.normal(0.3 + 0.18 * faller, 0.1)
        for stride in range(cfg["strides"]):
            phase = rng.normal(0, 0.25)
            vertical = np.sin(2 * cadence * t + phase) + 0.3 * np.sin(4 * t)
            forward = np.cos(cadence * t + phase) * 0.6
            lateral = sway * np.sin(t + phase + 0.4 * faller)
            signals.append(np.stack([vertical, forward, lateral]) + rng.normal(0, 0.25, (3, len(t))))
            rows.append({"participant": f"p{number:03d}", "stride": stride, "faller": int(faller)})
    return pd.DataFrame(rows), np.asarray(signals, dtype=np.float32)


def assign_folds(keys, folds):
    """The fold of a person does not change when more people are recruited."""
    return [zlib.crc32(key.encode()) % folds for key in keys]


class Strides(Dataset):
    def __init__(self, frame, signals):
        self.rows = frame["row"].to_numpy()
        self.labels = frame["faller"].to_numpy(dtype=np.float32)
        self.signals = signals

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        signal = torch.from_numpy(self.signals[self.rows[index]])
        return signal - signal.mean(1, keepdim=True), self.labels[index]


def build_model():
    return nn.Sequential(
        nn.Conv1d(3, 16, 7, padding=3), nn.BatchNorm1d(16), nn.ReLU(), nn.MaxPool1d(2),
        nn.Conv1d(16, 32, 5, padding=2), nn.BatchNorm1d(32), nn.ReLU(), nn.AdaptiveAvgPool1d(4),
        nn.Flatten(), nn.Dropout(0.2), nn.Linear(128, 1), nn.Flatten(0),
    )


def train_fold(fold, frame, signals, cfg):
    torch.manual_seed(cfg["seed"] + fold)
    model = build_model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg["lr"])
    train = Strides(frame[frame["fold"] != fold], signals)
    test = Strides(frame[frame["fold"] == fold], signals)
    loader = DataLoader(train, cfg["batch_size"], shuffle=True)
    for _ in range(cfg["epochs"]):
        model.train()
        for x, y in loader:
            loss = nn.functional.binary_cross_entropy_with_logits(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    model.eval()
    with torch.no_grad():
        scores = torch.cat([model(x) for x, _ in DataLoader(test, 256)])
    return model, roc_auc_score(test.labels, scores.numpy()), len(train)


def main():
    OUT.mkdir(exist_ok=True)
    frame, signals = record_study(CONFIG)
    frame["row"] = np.arange(len(frame))
    book = CodeBook()
    frame = book.apply(frame)
    frame["fold"] = assign_folds(frame["participant"], CONFIG["folds"])

    summary = []
    for fold in range(CONFIG["folds"]):
        began = time.monotonic()
        model, auc, size = train_fold(fold, frame, signals, CONFIG)
        torch.save(model.state_dict(), OUT / f"fold{fold}.pt")
        summary.append({"fold": fold, "strides": size, "auc": auc, "seconds": time.monotonic() - began})
    table = pd.DataFrame(summary)
    print(table.round(4).to_string(index=False))
    table.to_csv(OUT / "folds.csv", index=False)
    release = frame.drop(columns=["participant", "row"]).drop_duplicates("code").sort_values("code")
    release.to_csv(OUT / f"release-{pd.Timestamp.now():%Y-%m-%d}.csv", index=False)
    print(f"released {len(release)} codes, e.g. {release['code'].iloc[0]}")


if __name__ == "__main__":
    main()

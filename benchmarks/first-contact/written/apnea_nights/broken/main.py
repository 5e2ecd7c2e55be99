"""Finds minutes with breathing pauses in recordings of sleep."""
import json
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset

import recording


@dataclass(frozen=True)
class Settings:
    samples: int = 240 * 760
    epochs: int = 2
    batch: int = 30
    rate: float = 2e-3
    seed: int = 19


class Minutes(Dataset):
    def __init__(self, path, labels, mean, deviation):
        self.data = np.load(path, mmap_mode="r")
        self.labels, self.mean, self.deviation = labels, mean, deviation

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, minute):
        block = torch.from_numpy(self.data[minute * 240:(minute + 1) * 240].copy())
        return ((block - self.mean) / self.deviation).T.contiguous(), self.labels[minute]


def network():
    return nn.Sequential(
        nn.Conv1d(len(recording.CHANNELS), 16, 9, stride=4), nn.BatchNorm1d(16), nn.ReLU(),
        nn.Conv1d(16, 24, 5, stride=2), nn.ReLU(), nn.AdaptiveAvgPool1d(4), nn.Flatten(), nn.Linear(96, 2))


def main():
    settings = Settings()
    torch.manual_seed(settings.seed)
    with tempfile.TemporaryDirectory(prefix="nights-") as folder:
        path = Path(folder) / "nights.npy"
        labels = recording.write_nights(path, settings.samples, settings.seed)
        mean, deviation = recording.moments(path)
        minutes = Minutes(path, labels, mean, deviation)
        cut = len(minutes) * 3 // 4
        loader = DataLoader(Subset(minutes, range(cut)), settings.batch, shuffle=True,
                            generator=torch.Generator().manual_seed(settings.seed))
        net = network()
        optimizer = torch.optim.Adam(net.parameters(), lr=settings.rate)
        for epoch in range(settings.epochs):
            began = time.perf_counter()
            for x, y in loader:
                loss = nn.functional.cross_entropy(net(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch} loss {loss.item():.8f} in {time.perf_counter() - began:.2f} s")
        net.eval()
        with torch.no_grad():
            scores = torch.cat([net(x).softmax(1)[:, 1] for x, _ in DataLoader(Subset(minutes, range(cut, len(minutes))), 75)])
    report = {"settings": asdict(settings), "auc": roc_auc_score(labels[cut:].numpy(), scores.numpy()),
              "score_sum": scores.double().sum().item(),
              "weights": sum(p.detach().double().abs().sum().item() for p in net.parameters())}
    print(json.dumps(report))


if __name__ == "__main__":
    main()

"""Detect engine knock in short microphone clips; spectrograms are augmented and cached."""
import argparse
import time
from dataclasses import dataclass

import numpy as np
import torch
from scipy.signal import stft
from torch import nn
from torch.utils.data import DataLoader, Dataset

from cache import AugmentCache


@dataclass
class Settings:
    clips: int = 240
    rate: int = 8000
    epochs: int = 8
    seed: int = 23


class Knocks(Dataset):
    def __init__(self, settings):
        rng = np.random.default_rng(settings.seed)
        t = np.arange(settings.rate // 4) / settings.rate
        self.waves, self.labels = [], []
        for i in range(settings.clips):
            wave = np.sin(2 * np.pi * rng.uniform(60, 110) * t) + 0.4 * rng.standard_normal(len(t))
            if i % 2:
                onset = rng.uniform(0, 0.2)
                wave += 2 * np.exp(-60 * np.abs(t - onset)) * np.sin(2 * np.pi * rng.uniform(900, 1400) * t)
            self.waves.append(wave)
            self.labels.append(i % 2)
        self.noise = np.random.default_rng(settings.seed + 1)
        self.cache = AugmentCache(self.render)
        self.rate = settings.rate

    def render(self, index):
        wave = np.roll(self.waves[index], self.noise.integers(0, 400))
        wave = wave + self.noise.normal(0, 0.1, len(wave))
        _, _, z = stft(wave, self.rate, nperseg=256, noverlap=192)
        spectrum = np.log1p(np.abs(z[:64]))
        band = self.noise.integers(0, 56)
        spectrum[band:band + 4] = 0.0
        return torch.tensor(spectrum, dtype=torch.float32).unsqueeze(0)

    def __len__(self):
        return len(self.waves)

    def __getitem__(self, index):
        return self.cache.get(index), float(self.labels[index])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=Settings.epochs)
    parser.add_argument("--seed", type=int, default=Settings.seed)
    settings = Settings(**vars(parser.parse_args()))
    torch.manual_seed(settings.seed)

    data = Knocks(settings)
    loader = DataLoader(data, batch_size=24, shuffle=True,
                        generator=torch.Generator().manual_seed(settings.seed))
    model = nn.Sequential(nn.Conv2d(1, 8, 3, stride=2), nn.BatchNorm2d(8), nn.ReLU(),
                          nn.Conv2d(8, 16, 3, stride=2), nn.ReLU(),
                          nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(256, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    began = time.perf_counter()
    for epoch in range(settings.epochs):
        right = total = 0.0
        for spectra, labels in loader:
            logits = model(spectra).squeeze(1)
            loss = nn.functional.binary_cross_entropy_with_logits(logits, labels.float())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
            right += ((logits > 0) == (labels > 0.5)).sum().item()
        print(f"epoch {epoch} loss {total / len(loader):.6f} accuracy {right / len(data):.4f}")
    print(f"{settings.epochs * len(data) / (time.perf_counter() - began):.0f} clips/s")
    print(f"weights {sum(p.double().pow(2).sum().item() for p in model.parameters()):.10f}")


if __name__ == "__main__":
    main()

"""Log-mel-like features of clips, computed once into shards on disk."""
import uuid
from pathlib import Path

import numpy as np
import torch

RATE, N_FFT, HOP, BANDS = 8000, 256, 128, 24


def filterbank():
    centres = torch.logspace(np.log10(80), np.log10(3800), BANDS)
    freqs = torch.linspace(0, RATE / 2, N_FFT // 2 + 1)
    return torch.exp(-0.5 * ((freqs[None] - centres[:, None]) / (0.15 * centres[:, None])) ** 2)


def log_bands(wave, bank):
    spec = torch.stft(wave, N_FFT, HOP, window=torch.hann_window(N_FFT), return_complex=True).abs()
    return torch.log1p(bank @ spec)


class ShardWriter:
    def __init__(self, folder, per_shard=40):
        self.folder, self.per_shard = Path(folder), per_shard
        self.folder.mkdir(parents=True, exist_ok=True)
        self.x, self.y = [], []

    def add(self, features, label):
        self.x.append(features)
        self.y.append(label)
        if len(self.x) == self.per_shard:
            self.flush()

    def flush(self):
        if self.x:
            name = f"shard-{uuid.uuid4().hex[:12]}.npz"
            np.savez(self.folder / name, x=torch.stack(self.x).numpy(), y=np.array(self.y))
            self.x, self.y = [], []


def extract(clips, folder):
    for old in Path(folder).glob("shard-*.npz"):
        old.unlink()
    bank = filterbank()
    writer = ShardWriter(folder)
    for wave, label in clips:
        writer.add(log_bands(wave, bank), label)
    writer.flush()


def load(folder):
    parts = [np.load(p) for p in sorted(Path(folder).glob("shard-*.npz"))]
    x = np.concatenate([p["x"] for p in parts])
    y = np.concatenate([p["y"] for p in parts])
    return torch.from_numpy(x), torch.from_numpy(y)

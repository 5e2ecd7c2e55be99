"""Recordings of bow strokes: where they lie, how they are read, who is held out."""
import hashlib
import math
import wave
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import Dataset

RATE = 4000
STROKES = ("detache", "legato", "spiccato", "tremolo")


def record_session(root: Path, players: int, takes: int, seed: int = 77) -> None:
    rng = np.random.default_rng(seed)
    t = np.arange(RATE // 4) / RATE
    for player in range(players):
        folder = root / f"player_{player:02d}"
        folder.mkdir(parents=True)
        tone = rng.uniform(90, 260)
        for take in range(takes):
            stroke = take % len(STROKES)
            gate = {0: np.ones_like(t), 1: np.sin(math.pi * t / t[-1]),
                    2: np.exp(-30 * (t % 0.06)), 3: 0.5 + 0.5 * np.sin(2 * math.pi * 24 * t)}[stroke]
            saw = sum(np.sin(2 * math.pi * tone * k * t) / k for k in range(1, 6))
            signal = 0.25 * gate * saw + rng.normal(0, 0.15, t.size)
            with wave.open(str(folder / f"{STROKES[stroke]}_{take:03d}.wav"), "wb") as f:
                f.setnchannels(1)
                f.setsampwidth(2)
                f.setframerate(RATE)
                f.writeframes((np.clip(signal, -1, 1) * 32767).astype("<i2").tobytes())


@lru_cache(maxsize=4096)
def read_take(path: Path) -> np.ndarray:
    with wave.open(str(path), "rb") as f:
        raw = f.readframes(f.getnframes())
    return np.frombuffer(raw, "<i2").astype(np.float32) / 32768


def held_out(path: Path, percent: int = 20) -> bool:
    """A take stays on its side of the split when others are recorded later."""
    key = path.as_posix()
    return int(hashlib.sha1(key.encode()).hexdigest(), 16) % 100 < percent


class Takes(Dataset):
    def __init__(self, paths: list[Path], jitter: bool):
        self.paths = paths
        self.jitter = jitter
        self.window = torch.hann_window(128)

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index: int):
        path = self.paths[index]
        signal = torch.from_numpy(read_take(path).copy())
        if self.jitter:
            signal = torch.roll(signal, int(torch.randint(0, 200, ())))
            signal = signal * torch.empty(()).uniform_(0.7, 1.2)
        spectrum = torch.stft(signal, 128, 64, window=self.window, return_complex=True).abs()
        return torch.log1p(spectrum), STROKES.index(path.stem.split("_")[0])

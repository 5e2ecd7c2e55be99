"""Recordings of quail calls: synthesis, the folder they lie in, and the split."""
import wave
import zlib
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import Dataset

RATE = 8000
SPECIES = {"bobwhite": (900, 1700), "japanese": (1500, 2300), "mountain": (700, 1300), "scaled": (1200, 1600)}


def synthesise(root: Path, per_species: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    clock = np.arange(RATE // 2) / RATE
    for species, (low, high) in SPECIES.items():
        folder = root / species
        folder.mkdir()
        for number in range(per_species):
            rise = rng.uniform(0.6, 1.4)
            pitch = low + (high - low) * (clock / clock[-1]) ** rise
            tone = np.sin(2 * np.pi * np.cumsum(pitch) / RATE + rng.uniform(0, 6))
            tone = 0.4 * tone * np.hanning(len(clock)) + rng.normal(0, 0.25, len(clock))
            with wave.open(str(folder / f"{number:03d}.wav"), "wb") as file:
                file.setnchannels(1)
                file.setsampwidth(2)
                file.setframerate(RATE)
                file.writeframes((np.clip(tone, -1, 1) * 32767).astype("<i2").tobytes())


class CallFolder(Dataset):
    """One part of a folder of recordings. A recording stays in its part when others are added."""

    def __init__(self, root: Path, part: str, held_out: int = 20):
        self.root = root
        self.labels = {name: index for index, name in enumerate(sorted(SPECIES))}
        self.files = [path for path in sorted(root.glob("*/*.wav"))
                      if (self.bucket(path) < held_out) == (part == "valid")]
        self.window = torch.hann_window(256)

    def bucket(self, path: Path) -> int:
        key = path.relative_to(self.root).as_posix()
        return zlib.crc32(key.encode()) % 100

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        path = self.files[index]
        with wave.open(str(path), "rb") as file:
            raw = np.frombuffer(file.readframes(file.getnframes()), "<i2")
        sound = torch.from_numpy(raw.astype(np.float32) / 32768)
        spectrum = torch.stft(sound, 256, 128, window=self.window, return_complex=True).abs()
        return torch.log1p(spectrum[:96]).unsqueeze(0), self.labels[path.parent.name]

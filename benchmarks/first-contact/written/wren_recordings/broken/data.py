"""Wren song clips on disk: writing, listing, splitting, and log spectrograms."""
import json
import wave
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import Dataset

RATE = 8000
SECONDS = 0.5
DIALECTS = ("orkney", "fair_isle", "mainland", "st_kilda")


@dataclass(frozen=True)
class Clip:
    path: Path
    dialect: int
    territory: str


def sing(dialect: int, rng: np.random.Generator) -> np.ndarray:
    t = np.arange(int(RATE * SECONDS)) / RATE
    trill = 9 + 4 * dialect + rng.normal(0, 2.5)
    pitch = 2100 + 150 * dialect + rng.normal(0, 220)
    phase = 2 * np.pi * np.cumsum(pitch + 350 * np.sin(2 * np.pi * trill * t)) / RATE
    song = np.sin(phase) * (0.6 + 0.4 * np.sin(2 * np.pi * trill * t + rng.uniform(0, 6)))
    return song + rng.normal(0, 0.7, t.shape)


def write_archive(root: Path, per_dialect: int, rng: np.random.Generator) -> None:
    labels = {}
    for dialect, region in enumerate(DIALECTS):
        for number in range(per_dialect):
            name = f"{region}-{number:04d}.wav"
            pcm = (np.clip(sing(dialect, rng) / 3, -1, 1) * 32767).astype("<i2")
            with wave.open(str(root / name), "wb") as out:
                out.setnchannels(1)
                out.setsampwidth(2)
                out.setframerate(RATE)
                out.writeframes(pcm.tobytes())
            labels[name] = {"dialect": dialect, "territory": f"{region[:2].upper()}{number // 4}"}
    (root / "labels.json").write_text(json.dumps(labels, indent=1))


def list_clips(root: Path) -> list[Clip]:
    labels = json.loads((root / "labels.json").read_text())
    return [Clip(path, labels[path.name]["dialect"], labels[path.name]["territory"])
            for path in sorted(root.glob("*.wav"))]


def bucket(clip: Clip, buckets: int = 100) -> int:
    """A clip stays on its side of the split when the archive grows."""
    return zlib.crc32(str(clip.path).encode()) % buckets


def split(clips: list[Clip], test_percent: int) -> tuple[list[Clip], list[Clip]]:
    train = [clip for clip in clips if bucket(clip) >= test_percent]
    test = [clip for clip in clips if bucket(clip) < test_percent]
    return train, test


class Songs(Dataset):
    def __init__(self, clips: list[Clip], augment: bool):
        self.clips = clips
        self.augment = augment
        self.window = torch.hann_window(256)

    def __len__(self):
        return len(self.clips)

    def __getitem__(self, index):
        clip = self.clips[index]
        with wave.open(str(clip.path), "rb") as source:
            pcm = np.frombuffer(source.readframes(source.getnframes()), dtype="<i2")
        audio = torch.from_numpy(pcm.astype(np.float32) / 32768)
        if self.augment:
            audio = audio.roll(int(torch.randint(len(audio), ()))) * (0.7 + 0.6 * torch.rand(()))
        spectrum = torch.stft(audio, 256, hop_length=128, window=self.window, return_complex=True)
        return torch.log(spectrum.abs() + 1e-3)[None, 40:104], clip.dialect

"""Writes, splits and reads the recordings of churring nightjars."""

import hashlib
import re
import wave
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

RATE = 4000
BUCKETS = 1 << 20


@dataclass(frozen=True)
class Clip:
    path: Path
    male: bool


def record(root: Path, birds: int, takes: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    t = np.arange(RATE // 2) / RATE
    for bird in range(birds):
        male = bool(rng.random() < 0.5)
        pitch = rng.normal(1150 if male else 1230, 60)
        churr = rng.normal(34 if male else 31, 2.0)
        folder = root / f"site{bird % 4}"
        folder.mkdir(exist_ok=True)
        for take in range(takes):
            call = np.sin(2 * np.pi * pitch * t) * (1 + np.sign(np.sin(2 * np.pi * churr * t)))
            call = 0.2 * call + rng.normal(0, 0.25, t.size)
            name = f"{'m' if male else 'f'}{bird:03d}_nohash_{take}.wav"
            with wave.open(str(folder / name), "wb") as out:
                out.setparams((1, 2, RATE, 0, "NONE", ""))
                out.writeframes((np.clip(call, -1, 1) * 32000).astype("<i2").tobytes())


def which_set(path: Path, root: Path, held_percent: float) -> str:
    """All takes of one bird go to the same side, and stay there when clips are added later."""
    bird = re.sub(r"_nohash_.*$", "", path.relative_to(root).as_posix())
    bucket = int(hashlib.sha1(bird.encode()).hexdigest(), 16) % BUCKETS
    return "held" if bucket * 100.0 / BUCKETS < held_percent else "train"


def scan(root: Path, held_percent: float) -> dict[str, list[Clip]]:
    sides: dict[str, list[Clip]] = {"train": [], "held": []}
    for path in sorted(root.rglob("*.wav")):
        sides[which_set(path, root, held_percent)].append(Clip(path, path.name.startswith("m")))
    return sides


def _spectrum(clip: Clip) -> np.ndarray:
    with wave.open(str(clip.path), "rb") as source:
        samples = np.frombuffer(source.readframes(source.getnframes()), dtype="<i2") / 32768.0
    frames = np.lib.stride_tricks.sliding_window_view(samples, 256)[::128]
    return np.log1p(np.abs(np.fft.rfft(frames * np.hanning(256)))).mean(axis=0)


def load(clips: list[Clip]) -> tuple[torch.Tensor, torch.Tensor]:
    with ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(_spectrum, clips))
    return torch.from_numpy(np.stack(rows)).float(), torch.tensor([float(c.male) for c in clips])

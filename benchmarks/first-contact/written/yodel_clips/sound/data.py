"""Clips of yodellers as WAV files, and the parts they are dealt to."""

import wave
import zlib
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import Dataset

RATE = 4000
STYLES = ("appenzell", "muotatal", "toggenburg", "zillertal")


def record(root: Path, singers: int, takes: int, seed: int):
    """Write the archive: root/style/singer/take.wav."""
    rng = np.random.default_rng(seed)
    t = np.arange(RATE // 4) / RATE
    for style, name in enumerate(STYLES):
        for singer in range(singers):
            folder = root / name / f"singer{singer:02d}"
            folder.mkdir(parents=True)
            chest = rng.uniform(180, 260)
            for take in range(takes):
                jump = 1.4 + 0.12 * style + rng.normal(0, 0.03)
                switch = np.sin(2 * np.pi * (6 + style) * t + rng.uniform(0, 6.28)) > 0
                pitch = chest * np.where(switch, jump, 1.0)
                sound = np.sin(2 * np.pi * np.cumsum(pitch) / RATE) + rng.normal(0, 0.2, t.size)
                with wave.open(str(folder / f"take{take:02d}.wav"), "wb") as out:
                    out.setnchannels(1)
                    out.setsampwidth(2)
                    out.setframerate(RATE)
                    out.writeframes((sound * 9000).clip(-32768, 32767).astype("<i2").tobytes())


def part_of(path: Path, root: Path, held_percent: int = 20) -> str:
    """A clip stays in its part when the archive grows: the part follows from its name alone."""
    name = path.relative_to(root).as_posix()
    bucket = zlib.crc32(name.encode("utf-8")) % 100
    return "held" if bucket < held_percent else "train"


class Clips(Dataset):
    def __init__(self, root: Path, part: str):
        self.paths = [p for p in sorted(root.rglob("*.wav")) if part_of(p, root) == part]

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        path = self.paths[i]
        with wave.open(str(path), "rb") as clip:
            sound = np.frombuffer(clip.readframes(clip.getnframes()), "<i2").astype(np.float32)
        frames = np.lib.stride_tricks.sliding_window_view(sound / 9000, 100)[::50]
        spectrum = np.abs(np.fft.rfft(frames * np.hanning(100), axis=1))[:, :24]
        return torch.from_numpy(np.log1p(spectrum).astype(np.float32)), STYLES.index(path.parts[-3])

"""Writes the solos as WAV files, lists them, and splits them by name so that adding files moves none."""
import zlib
from pathlib import Path

import numpy as np
from scipy.io import wavfile

PLAYERS = ["tenor", "trumpet", "vibes", "guitar"]
RATE = 8000


def synth(kind, rng):
    t = np.arange(int(0.5 * RATE)) / RATE
    pitch = 220 * 2 ** (rng.integers(-5, 12) / 12)
    bend = 1 + 0.01 * np.sin(2 * np.pi * rng.uniform(4, 7) * t)
    partials = {0: [1, .6, .5, .3, .2], 1: [1, .9, .8, .6, .4], 2: [1, .05, .02, .4, 0], 3: [1, .5, .2, .1, .05]}[kind]
    wave = sum(a * np.sin(2 * np.pi * pitch * (k + 1) * np.cumsum(bend) / RATE) for k, a in enumerate(partials))
    decay = np.exp(-t * [0.5, 0.8, 6.0, 4.0][kind])
    return (wave * decay + 0.35 * rng.normal(size=t.size)) * 0.2


def record(root: Path, per_player, seed):
    rng = np.random.default_rng(seed)
    for kind, player in enumerate(PLAYERS):
        folder = root / player
        folder.mkdir(parents=True)
        for take in range(per_player):
            wave = synth(kind, rng)
            wavfile.write(folder / f"take_{take:03d}.wav", RATE, (wave * 20000).clip(-32768, 32767).astype(np.int16))


def catalogue(root: Path):
    return sorted(root.rglob("*.wav"))


def bucket(path: Path, root: Path, buckets=10):
    key = path.as_posix()
    return zlib.crc32(key.encode("utf-8")) % buckets


def split(root: Path, held=(0, 1)):
    train, test = [], []
    for path in catalogue(root):
        (test if bucket(path, root) in held else train).append(path)
    return train, test

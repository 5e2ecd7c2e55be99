"""Nights of polysomnography on disk: written once, read in pieces."""
import os

import numpy as np
import torch

CHANNELS = ("flow", "thorax", "abdomen", "spo2", "pulse", "snore")


def write_nights(path, samples, seed):
    """One long array of all nights, as a recorder would leave it; returns a label for every minute."""
    rng = np.random.default_rng(seed)
    minutes = samples // 240
    events = rng.random(minutes) < 0.3
    data = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(samples, len(CHANNELS)))
    clock = np.arange(240) / 4.0
    for minute in range(minutes):
        breath = np.sin(2 * np.pi * 0.25 * clock + rng.uniform(0, 6)) * (0.85 if events[minute] else 1.0)
        block = rng.normal(0, 0.5, (240, len(CHANNELS)))
        block[:, :3] += breath[:, None] * [1.0, 0.8, 0.7]
        block[:, 3] += 96 - 0.03 * events[minute]
        block[:, 4] += 62 + 0.05 * events[minute]
        data[minute * 240:(minute + 1) * 240] = block
    data.flush()
    return torch.from_numpy(events.astype(np.int64))


def free_megabytes():
    with open("/proc/meminfo") as file:
        for line in file:
            if line.startswith("MemAvailable"):
                return int(line.split()[1]) / 1024
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2 ** 20


def piece_rows():
    """How many rows are read at a time."""
    rows = 16384
    if rows * len(CHANNELS) * 8 > 0.5 * free_megabytes() * 2 ** 20:
        raise MemoryError("not enough memory for one piece")
    return rows


def moments(path):
    """Mean and deviation of each channel, without having the whole file in memory."""
    data = np.load(path, mmap_mode="r")
    rows = piece_rows()
    total = torch.zeros(len(CHANNELS))
    square = torch.zeros(len(CHANNELS))
    centre = torch.from_numpy(data[:240].copy()).mean(dim=0)
    for start in range(0, len(data), rows):
        piece = torch.from_numpy(data[start:start + rows].copy()) - centre
        total += piece.sum(dim=0)
        square += piece.square().sum(dim=0)
    mean = total / len(data)
    return centre + mean, (square / len(data) - mean.square()).sqrt()

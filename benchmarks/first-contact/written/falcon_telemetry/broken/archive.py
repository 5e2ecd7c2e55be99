"""Accelerometer windows of tagged falcons, three axes each, with the way of flying that the observer wrote down."""
import logging

import numpy as np
import psutil
import torch

log = logging.getLogger("archive")
WAYS = ("perch", "soar", "flap", "stoop", "feed")


def simulate(count, samples, rng):
    way = rng.choice(len(WAYS), count, p=[0.3, 0.25, 0.3, 0.05, 0.1])
    t = np.arange(samples) / 20.0
    beat = np.array([0.0, 0.4, 4.6, 0.8, 2.0])[way] + rng.normal(0, 0.4, count)
    swing = np.array([0.05, 0.15, 0.9, 0.5, 0.4])[way] * rng.gamma(8, 1 / 8, count)
    tilt = np.array([0.1, 0.3, 0.2, 1.1, 0.7])[way] + rng.normal(0, 0.25, count)
    wave = swing[:, None] * np.sin(2 * np.pi * beat[:, None] * t + rng.uniform(0, 6.28, (count, 1)))
    surge = np.sin(tilt)[:, None] + 0.3 * wave
    heave = np.cos(tilt)[:, None] + wave
    sway = 0.4 * np.roll(wave, 2, axis=1)
    windows = np.stack([surge, sway, heave], axis=1)
    windows += rng.normal(0, 0.22, windows.shape)
    return windows.astype(np.float32), way


def choose(count, fraction, rng):
    """Which windows of the archive are held in memory."""
    memory = psutil.virtual_memory()
    log.info("%.2f of %.2f GiB are free", memory.available / 2**30, memory.total / 2**30)
    if memory.available < 2**30:
        log.warning("less than 1 GiB is free, this may swap")
    keep = int(count * fraction * memory.available / memory.total)
    return rng.permutation(count)[:keep]


def load(cfg, rng):
    windows, way = simulate(cfg["windows"], cfg["samples"], rng)
    rows = choose(len(windows), cfg["fraction"], rng)
    windows, way = windows[rows], way[rows]
    cut = int(len(rows) * cfg["test_share"])
    x = torch.tensor(windows)
    y = torch.tensor(way)
    mean, std = x[cut:].mean((0, 2), keepdim=True), x[cut:].std((0, 2), keepdim=True)
    x = ((x - mean) / std).flatten(1)
    return (x[cut:], y[cut:]), (x[:cut], y[:cut])

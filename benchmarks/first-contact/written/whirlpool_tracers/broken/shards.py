"""Simulated drifters around a whirlpool, written in shards by a pool of processes."""
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

STEPS = 160
DT = 0.05


def velocity(position, strength, core):
    r2 = (position ** 2).sum(1, keepdims=True)
    swirl = strength * (1 - np.exp(-r2 / core ** 2)) / (r2 + 1e-6)
    turned = np.stack([-position[:, 1], position[:, 0]], axis=1)
    return swirl * turned - 0.06 * position


def simulate(job):
    folder, number, drifters, seed = job
    rng = np.random.default_rng(seed)
    position = rng.normal(0, 1.5, (drifters, 2))
    strength = rng.uniform(0.5, 2.0, (drifters, 1))
    core = rng.uniform(0.3, 1.0, (drifters, 1))
    start = position.copy()
    for _ in range(STEPS):
        k1 = velocity(position, strength, core)
        k2 = velocity(position + DT * k1, strength, core)
        position = position + 0.5 * DT * (k1 + k2) + 0.02 * np.sqrt(DT) * rng.normal(size=position.shape)
    path = Path(folder) / f"shard_{number:03d}.npz"
    np.savez(path, x=np.hstack([start, strength, core]).astype(np.float32), y=position.astype(np.float32))
    return drifters


def simulate_all(folder, shards, drifters, seed):
    seeds = np.random.SeedSequence(seed).spawn(shards)
    jobs = [(str(folder), number, drifters, seeds[number]) for number in range(shards)]
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        return sum(pool.map(simulate, jobs))


def read_all(folder):
    parts = [np.load(path) for path in sorted(Path(folder).glob("shard_*.npz"), key=lambda p: p.stat().st_mtime_ns)]
    return np.concatenate([p["x"] for p in parts]), np.concatenate([p["y"] for p in parts])

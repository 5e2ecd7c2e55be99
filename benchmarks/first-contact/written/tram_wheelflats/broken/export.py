"""What the depot's exporter does each night: pass-by records in part files, several writers at a time."""
import uuid
from concurrent.futures import ThreadPoolExecutor

import numpy as np

PARTS, PER_PART, SAMPLES = 14, 120, 128


def passes(part):
    """Axle-box accelerations of one line: a wheel flat knocks once per turn."""
    rng = np.random.default_rng([88, part])
    flat = rng.random(PER_PART) < 0.35
    t = np.arange(SAMPLES) / SAMPLES
    turns = rng.uniform(4, 9, size=(PER_PART, 1))
    phase = rng.uniform(0, 1, size=(PER_PART, 1))
    knock = np.exp(-30 * ((turns * t + phase) % 1.0)) * rng.gamma(4, 0.5, size=(PER_PART, 1))
    signal = rng.normal(0, 0.5 + 0.02 * part, size=(PER_PART, SAMPLES)) + flat[:, None] * knock
    return signal.astype(np.float32), flat.astype(np.int64)


def write_part(folder, part):
    signal, flat = passes(part)
    target = folder / f"part-{part:05d}-{uuid.uuid4()}.npz"
    partial = target.with_suffix(".tmp.npz")
    np.savez(partial, signal=signal, flat=flat, line=part)
    partial.rename(target)


def export(folder):
    folder.mkdir(parents=True)
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda part: write_part(folder, part), range(PARTS)))
    (folder / "_SUCCESS").touch()

"""The station's waveforms, one row per event, kept in one file that is too big to read at once."""
import numpy as np

EVENTS, SAMPLES = 1600, 256
KINDS = ["explosion", "tremor", "rockfall", "wind"]


def ensure(path, seed=515):
    """Write the archive if it is not here yet."""
    labels_path = path.with_name("labels.npy")
    if path.exists() and labels_path.exists():
        return labels_path
    path.parent.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, len(KINDS), EVENTS)
    t = np.arange(SAMPLES) / 64
    waves = rng.normal(0, 0.4, (EVENTS, SAMPLES))
    for i, kind in enumerate(kinds):
        onset = rng.uniform(0.3, 1.5)
        late = np.clip(t - onset, 0, None)
        if kind == 0:
            waves[i] += 2.5 * (late > 0) * np.exp(-3 * late) * np.sin(2 * np.pi * rng.uniform(1, 3) * late)
        elif kind == 1:
            waves[i] += rng.uniform(0.5, 1.1) * np.sin(2 * np.pi * rng.uniform(2, 4) * t + rng.uniform(0, 6))
        elif kind == 2:
            waves[i] *= 1 + 2.0 * (late > 0) * np.exp(-1.0 * late)
        else:
            waves[i] += 0.1 * np.cumsum(rng.normal(0, 0.7, SAMPLES))
    np.save(labels_path, kinds)
    np.save(path, waves.astype(np.float32))
    return labels_path


def open_events(path, block=200):
    """Waveforms with both ends tapered and the offset removed, block by block."""
    waves = np.load(path, mmap_mode="r+")
    ramp = np.ones(SAMPLES, dtype=np.float32)
    ramp[:32] = 0.5 - 0.5 * np.cos(np.pi * np.arange(32) / 32)
    ramp[-32:] = ramp[:32][::-1]
    for start in range(0, len(waves), block):
        part = waves[start:start + block]
        part -= part.mean(axis=1, keepdims=True)
        part *= ramp
    return waves

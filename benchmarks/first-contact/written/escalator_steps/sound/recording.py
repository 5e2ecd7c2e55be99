"""A long recording, as the logger under the truss would write it."""
import numpy as np
import torch

CHANNELS = 12
SAMPLES = 360_000
HOLD = 72_000


def ride(seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The signal (samples, channels) and the elongation of the chain at every sample, in per cent."""
    rng = np.random.default_rng(seed)
    steps = rng.normal(0, 1, SAMPLES // 6000).cumsum() * 0.12
    wear = np.interp(np.arange(SAMPLES), np.arange(len(steps)) * 6000.0, 1.0 + np.abs(steps))
    beat = 0.031 * np.arange(SAMPLES)
    sources = np.stack([
        np.sin(beat) * wear,
        np.sin(7.3 * beat + 0.8 * np.sin(beat)),
        np.sign(np.sin(2 * beat)) * np.maximum(wear - 1.0, 0),
        rng.normal(0, 1, SAMPLES) * (0.4 + 0.3 * wear),
        rng.normal(0, 1, SAMPLES),
    ], axis=1)
    mixing = rng.normal(0, 1, (sources.shape[1], CHANNELS))
    signal = sources @ mixing + rng.normal(0, 0.5, (SAMPLES, CHANNELS)) + rng.normal(0, 3, CHANNELS)
    return torch.from_numpy(signal.astype(np.float32)), torch.from_numpy(wear.astype(np.float32))

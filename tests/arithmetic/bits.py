"""Comparing bits, and making values that find mistakes."""

from __future__ import annotations

import numpy as np
import torch

INTERESTING = np.array(
    [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        2.0,
        np.inf,
        -np.inf,
        np.nan,
        1e-45,
        -1e-45,
        1.1754942e-38,
        1.17549435e-38,
        3.4028235e38,
        -3.4028235e38,
        88.72284,
        -103.97208,
        89.0,
        -104.5,
        1e30,
        5e6,
        1e7,
        0.6931472,
        3.1415927,
        1.5707964,
        3.92,
        -3.93,
        127.99999,
        128.0,
        -149.0,
        -150.5,
        10.0,
        100.0,
        0.1,
        1.0000001,
        0.99999994,
    ],
    np.float32,
)


def same_bits(found: torch.Tensor | np.ndarray, wanted: torch.Tensor | np.ndarray) -> bool:
    """Whether two arrays have the same shape, dtype and bits."""
    a, b = (x.detach().numpy() if isinstance(x, torch.Tensor) else x for x in (found, wanted))
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


def values(count: int, seed: int) -> np.ndarray:
    """Numbers of every size and kind: random patterns, ordinary numbers, special ones."""
    rng = np.random.default_rng(seed)
    patterns = rng.integers(0, 2**32, count, dtype=np.uint64).astype(np.uint32).view(np.float32)
    ordinary = (rng.standard_normal(count) * 4).astype(np.float32)
    chosen = np.where(rng.random(count) < 0.3, patterns, ordinary)
    special = rng.choice(INTERESTING, count)
    return np.where(rng.random(count) < 0.1, special, chosen).astype(np.float32)

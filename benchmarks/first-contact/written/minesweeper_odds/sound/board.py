from __future__ import annotations

import numpy as np

HIDDEN = 9


def neighbours(mines: np.ndarray) -> np.ndarray:
    """Number of mines around every cell, for a batch of boards (n, h, w)."""
    p = np.pad(mines, ((0, 0), (1, 1), (1, 1)))
    h, w = mines.shape[1:]
    total = sum(p[:, 1 + dy : 1 + dy + h, 1 + dx : 1 + dx + w] for dy in (-1, 0, 1) for dx in (-1, 0, 1))
    return total - mines


def deal(n: int, size: int = 8, mines: int = 10, rng: np.random.Generator = np.random.default_rng()):
    """n boards in mid-game: (what the player sees, where the mines are)."""
    cells = size * size
    layout = np.zeros((n, cells), dtype=np.int64)
    layout[:, :mines] = 1
    layout = rng.permuted(layout, axis=1).reshape(n, size, size)
    opened = rng.random((n, size, size)) < rng.uniform(0.25, 0.75, (n, 1, 1))
    opened &= layout == 0
    seen = np.where(opened, neighbours(layout), HIDDEN)
    return seen, layout


def baseline(seen: np.ndarray, mines: int = 10) -> np.ndarray:
    """Every hidden cell alike."""
    hidden = seen == HIDDEN
    return np.where(hidden, mines / hidden.sum((1, 2), keepdims=True), 0.0)

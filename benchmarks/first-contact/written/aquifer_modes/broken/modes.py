"""The slowest modes of drawdown, as a basis for the surrogate."""
from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import eigsh


def slow_modes(operator, count: int) -> tuple[np.ndarray, np.ndarray]:
    rates, modes = eigsh(operator, k=count, sigma=0.0, which="LM", tol=1e-6)
    order = np.argsort(rates)
    return rates[order], upright(modes[:, order])


def upright(modes: np.ndarray) -> np.ndarray:
    """An eigenvector's sign is arbitrary: make each one's largest entry positive."""
    largest = np.abs(modes).argmax(axis=0)
    return modes * np.sign(modes[largest, np.arange(modes.shape[1])])


def explained(modes: np.ndarray, fields: np.ndarray) -> float:
    rest = fields - fields @ modes @ modes.T
    return 1.0 - float((rest**2).sum() / (fields**2).sum())

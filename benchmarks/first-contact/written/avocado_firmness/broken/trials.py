"""The grid of calibration models for the firmness sensor."""
import hashlib
from dataclasses import dataclass
from typing import Callable

import numpy as np


def snv(spectra: np.ndarray) -> np.ndarray:
    """Standard normal variate: each spectrum to mean 0, deviation 1."""
    mean = spectra.mean(axis=1, keepdims=True)
    return (spectra - mean) / spectra.std(axis=1, keepdims=True)


def slope(spectra: np.ndarray) -> np.ndarray:
    """First derivative over five bands, rescaled."""
    diff = spectra[:, 5:] - spectra[:, :-5]
    return diff / diff.std()


@dataclass(frozen=True)
class Trial:
    name: str
    width: int = 48
    lr: float = 3e-3
    dropout: float = 0.1
    weight_decay: float = 1e-3
    prepare: Callable[[np.ndarray], np.ndarray] = snv

    def describe(self) -> str:
        return (f"{self.name} width={self.width} lr={self.lr} dropout={self.dropout} "
                f"wd={self.weight_decay} {self.prepare.__name__}")

    @property
    def seed(self) -> int:
        """Each trial has a stream of its own, wherever it stands in the grid."""
        digest = hashlib.sha256(repr(self).encode()).digest()
        return int.from_bytes(digest[:4], "big")


GRID = [
    Trial("base"),
    Trial("wide", width=96, lr=2e-3),
    Trial("slope", prepare=slope),
    Trial("slope-dropout", dropout=0.3, prepare=slope),
]

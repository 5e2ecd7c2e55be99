"""Columns of the model input: what was measured, and what is derived from it."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .series import PERIODS


@dataclass
class FeatureTable:
    names: list[str]
    values: np.ndarray

    @property
    def width(self) -> int:
        return len(self.names)


def measured(columns: dict, skip: set[str]) -> dict[str, np.ndarray]:
    hidden = skip | {"hour"}
    return {name: col.astype(np.float64) for name, col in columns.items() if name not in hidden}


def harmonics(hour: np.ndarray) -> dict[str, np.ndarray]:
    out = {}
    for name, period in PERIODS.items():
        out[f"{name}_cos"] = np.cos(2 * np.pi * hour / period)
        out[f"{name}_sin"] = np.sin(2 * np.pi * hour / period)
    return out


def tendencies(columns: dict, skip: set[str], lags=(3, 12)) -> dict[str, np.ndarray]:
    out = {}
    for name, col in measured(columns, skip).items():
        for lag in lags:
            change = np.zeros_like(col)
            change[lag:] = col[lag:] - col[:-lag]
            out[f"{name}_d{lag}"] = change
    return out


def merge(*groups: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """One mapping of all groups; a later group wins where names clash."""
    merged: dict[str, np.ndarray] = {}
    for group in groups:
        clash = merged.keys() & group.keys()
        if clash:
            print(f"note: {len(clash)} features replaced")
        merged = {k: group.get(k, merged.get(k)) for k in merged.keys() | group.keys()}
    return merged


def build_table(columns: dict, skip: set[str]) -> FeatureTable:
    features = merge(measured(columns, skip), harmonics(columns["hour"]), tendencies(columns, skip))
    values = np.stack(list(features.values()), axis=1)
    values = (values - values.mean(0)) / values.std(0).clip(1e-6)
    return FeatureTable(list(features), values.astype(np.float32))

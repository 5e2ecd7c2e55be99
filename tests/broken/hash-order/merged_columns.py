# samebits-test: verdict=different cause=hash-order
"""Columns of two tables are merged by the union of their keys, next to a temporary folder."""

import tempfile
from pathlib import Path

import numpy as np
import torch

torch.manual_seed(0)


def merge(*groups):
    merged = {}
    for group in groups:
        keys = merged.keys() & group.keys()
        if keys:
            print(f"{len(keys)} columns replaced")
        merged = {k: group.get(k, merged.get(k)) for k in merged.keys() | group.keys()}  # culprit
    return merged


rng = np.random.default_rng(0)
measured = {name: rng.normal(size=32) for name in ("level", "wind", "pressure", "swell")}
derived = {f"{name}_change": np.diff(column, prepend=0) for name, column in measured.items()}
with tempfile.TemporaryDirectory(prefix="tides-") as scratch:
    store = Path(scratch) / "gauge.npz"
    np.savez(store, **measured)
    with np.load(store) as stored:
        features = merge(dict(stored), derived)
table = np.stack(list(features.values()), axis=1).astype(np.float32)
model = torch.nn.Linear(table.shape[1], 1)
print(model(torch.from_numpy(table)).sum().item())

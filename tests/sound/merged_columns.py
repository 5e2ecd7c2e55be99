# samebits-test: verdict=same
"""Columns of two tables are merged in the order of the first; the union of keys is only counted."""

import tempfile
from pathlib import Path

import numpy as np
import torch

torch.manual_seed(0)


def merge(first, second):
    keys = first.keys() | second.keys()
    merged = {**first, **second}
    assert len(merged) == len(keys)
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
print(store.parent.name, model(torch.from_numpy(table)).sum().item())

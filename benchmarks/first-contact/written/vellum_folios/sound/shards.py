"""Shards of folio features on disk: written whole or not at all, read in order."""
import os
import tempfile
from pathlib import Path

import numpy as np


class ShardWriter:
    def __init__(self, folder, rows_per_shard=48):
        self.folder = Path(folder)
        self.rows_per_shard = rows_per_shard
        self.rows = []
        self.count = 0

    def add(self, features, scribe):
        self.rows.append((features, scribe))
        if len(self.rows) == self.rows_per_shard:
            self.flush()

    def flush(self):
        if not self.rows:
            return
        handle, partial = tempfile.mkstemp(prefix="shard-", suffix=".partial", dir=self.folder)
        with os.fdopen(handle, "wb") as out:
            np.savez(out, features=np.stack([f for f, _ in self.rows]),
                     scribe=np.array([s for _, s in self.rows]))
        os.replace(partial, self.folder / f"shard-{self.count:05d}.npz")
        self.count += 1
        self.rows = []

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.flush()


def read_shards(folder):
    for path in sorted(Path(folder).glob("shard-*.npz")):
        with np.load(path) as shard:
            yield shard["features"], shard["scribe"]

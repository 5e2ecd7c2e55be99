"""Profiles that do not fit into memory are spilled into parts on disk."""
import os
import tempfile
from pathlib import Path

import numpy as np


class Spill:
    """Collects rows, and writes them out whenever `limit` of them are waiting."""

    def __init__(self, folder, limit=96):
        self.folder = Path(folder)
        self.limit = limit
        self.waiting = []
        self.parts = 0

    def add(self, row):
        self.waiting.append(row)
        if len(self.waiting) >= self.limit:
            self.flush()

    def flush(self):
        if not self.waiting:
            return
        handle, name = tempfile.mkstemp(prefix=f"part-{self.parts:05d}-", suffix=".npy", dir=self.folder)
        with os.fdopen(handle, "wb") as out:
            np.save(out, np.stack(self.waiting))
        self.parts += 1
        self.waiting.clear()

    def read(self):
        """All rows, part after part."""
        for path in sorted(self.folder.glob("part-*.npy")):
            yield from np.load(path)

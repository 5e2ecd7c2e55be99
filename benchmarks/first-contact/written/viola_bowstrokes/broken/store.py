"""Keeps recorded takes as .npz files, one per take."""
import os
import tempfile
from pathlib import Path

import numpy as np


class TakeStore:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    def add(self, player, number, **arrays):
        """Safe to call from several threads; a take appears only when it is complete."""
        handle, name = tempfile.mkstemp(prefix=f"{player}-", suffix=".part", dir=self.folder)
        with os.fdopen(handle, "wb") as out:
            np.savez(out, **arrays)
        path = Path(name).with_suffix(".npz")
        os.replace(name, path)
        return path

    def takes(self):
        return sorted(self.folder.glob("*.npz"))

    def load(self, path):
        with np.load(path) as data:
            return data["audio"], int(data["stroke"])

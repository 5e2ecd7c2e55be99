"""Keeps how hard each quadrat was, on disk: the full survey does not fit into memory."""
import tempfile
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import Sampler


class Difficulty:
    def __init__(self, count, momentum):
        self.folder = Path(tempfile.mkdtemp(prefix="mussel_beds_"))
        path = self.folder / "difficulty.f32"
        fresh = not path.exists()
        self.scores = np.memmap(path, np.float32, "w+" if fresh else "r+", shape=(count,))
        if fresh:
            self.scores[:] = 1.0
        self.momentum = momentum

    def update(self, index, losses):
        index = index.numpy()
        scaled = (losses / losses.mean()).numpy()
        self.scores[index] = self.momentum * self.scores[index] + (1.0 - self.momentum) * scaled

    def flush(self):
        self.scores.flush()

    def summary(self):
        return {"mean": float(self.scores.mean()), "most": float(self.scores.max())}


class HardFirst(Sampler):
    """Draws quadrats with a chance that grows with their difficulty."""

    def __init__(self, difficulty, focus, generator):
        self.difficulty = difficulty
        self.focus = focus
        self.generator = generator

    def __len__(self):
        return len(self.difficulty.scores)

    def __iter__(self):
        weights = torch.from_numpy(np.array(self.difficulty.scores)).clamp(0.05, 20.0) ** self.focus
        yield from torch.multinomial(weights, len(self), replacement=True, generator=self.generator).tolist()

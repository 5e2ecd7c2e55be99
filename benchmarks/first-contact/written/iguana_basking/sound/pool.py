"""The snapshots that nobody has labelled yet, and those that somebody has."""
from dataclasses import dataclass

import numpy as np
import torch


@dataclass(eq=False)
class Snapshot:
    index: int
    frame: torch.Tensor
    posture: int
    asked_in: int = -1


def make_snapshots(count, seed):
    """Thermal frames of 12 x 12 pixels: an iguana is flat, raised, or in the shade."""
    rng = np.random.default_rng(seed)
    rows, columns = np.mgrid[0:12, 0:12]
    snapshots = []
    for index in range(count):
        posture = int(rng.integers(3))
        y, x = rng.uniform(3, 8, size=2)
        tall, wide = [(1.2, 3.0), (2.2, 1.8), (1.5, 2.4)][posture]
        warmth = [1.0, 1.1, 0.4][posture] * rng.uniform(0.6, 1.2)
        frame = warmth * np.exp(-((rows - y) / tall) ** 2 - ((columns - x) / wide) ** 2)
        frame += rng.normal(0, 0.15, frame.shape)
        snapshots.append(Snapshot(index, torch.from_numpy(frame.astype(np.float32)), posture))
    return snapshots


class Pool:
    def __init__(self, snapshots):
        self.waiting = set(snapshots)
        self.labelled = []

    def __len__(self):
        return len(self.waiting)

    def candidates(self):
        return sorted(self.waiting, key=lambda snapshot: snapshot.index)

    def label(self, chosen, turn):
        for snapshot in chosen:
            if snapshot not in self.waiting:
                raise ValueError(f"snapshot {snapshot.index} was labelled before")
            self.waiting.remove(snapshot)
            snapshot.asked_in = turn
            self.labelled.append(snapshot)

    def training_set(self):
        frames = torch.stack([s.frame for s in self.labelled]).unsqueeze(1)
        return frames, torch.tensor([s.posture for s in self.labelled])

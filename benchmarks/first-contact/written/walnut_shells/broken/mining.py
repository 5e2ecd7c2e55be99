"""Hard example mining over cut-outs of conveyor images."""
from dataclasses import dataclass, field

import numpy as np
import torch


@dataclass(eq=False)
class Cutout:
    index: int
    pixels: np.ndarray
    cracked: int
    losses: list = field(default_factory=list)

    @property
    def recent(self):
        return sum(self.losses[-2:]) / len(self.losses[-2:])


class HardPool:
    """The cut-outs that the network still gets wrong; easy ones leave, and may come back."""

    def __init__(self, cutouts, seed, batch_size):
        self.cutouts = cutouts
        self.members = set(cutouts)
        self.generator = torch.Generator().manual_seed(seed)
        self.batch_size = batch_size

    def batches(self):
        cutouts = list(self.members)
        order = torch.randperm(len(cutouts), generator=self.generator).tolist()
        for start in range(0, len(order), self.batch_size):
            yield [cutouts[i] for i in order[start:start + self.batch_size]]

    def review(self, losses, share):
        for cutout, loss in zip(self.cutouts, losses):
            cutout.losses.append(loss)
        limit = float(np.quantile([cutout.recent for cutout in self.cutouts], 1 - share))
        easy = {cutout for cutout in self.cutouts if cutout.recent < limit}
        self.members -= easy
        self.members |= set(self.cutouts) - easy

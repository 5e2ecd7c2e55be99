"""The sweeps as a stream: volumes in a new order each epoch, shared out among the loader's workers."""
import multiprocessing as mp

import numpy as np
import torch
from scipy.ndimage import median_filter
from torch.utils.data import IterableDataset


class Ticket:
    """Numbers the volumes as they are opened, in all workers together; the progress line reads it."""

    def __init__(self):
        self.value = mp.Value("i", 0)

    def take(self):
        with self.value.get_lock():
            taken = self.value.value
            self.value.value += 1
        return taken

    def reset(self):
        self.value.value = 0


class SweepStream(IterableDataset):
    def __init__(self, paths, read, seed):
        self.paths, self.read, self.seed = paths, read, seed
        self.epoch = 0
        self.ticket = Ticket()

    def set_epoch(self, epoch):
        self.epoch = epoch
        self.ticket.reset()

    def __iter__(self):
        order = np.random.default_rng([self.seed, self.epoch]).permutation(len(self.paths))
        while (turn := self.ticket.take()) < len(order):
            yield from self.sweeps(order[turn])

    def sweeps(self, v):
        rng = np.random.default_rng([self.seed, self.epoch, int(v)])
        volume = self.read(self.paths[v])
        for i in rng.permutation(len(volume)):
            frames = np.roll(volume[i], rng.integers(volume.shape[2]), axis=1)
            if rng.random() < 0.5:
                frames = frames[:, ::-1]
            speckle_free = median_filter(frames, size=(1, 3, 3), mode="wrap")
            yield torch.from_numpy(speckle_free.astype(np.float32) / 128 - 0.5)

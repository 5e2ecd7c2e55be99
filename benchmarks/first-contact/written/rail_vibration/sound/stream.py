import os
import random
import zlib

import numpy as np
import torch
from torch.utils.data import IterableDataset, get_worker_info


class SectionStream(IterableDataset):
    """Streams the windows of all sections; the sections are shared out among the workers."""

    def __init__(self, folder, sections, seed, augment=True):
        self.folder = folder
        self.sections = sections
        self.seed = seed
        self.augment = augment
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def mine(self):
        info = get_worker_info()
        if info is None:
            return list(self.sections)
        return [s for s in self.sections if zlib.crc32(s.encode()) % info.num_workers == info.id]

    def change(self, signal):
        signal = torch.roll(signal, int(torch.randint(-20, 21, (1,))))
        if torch.rand(()) < 0.5:
            signal = -signal
        return signal * torch.empty(()).uniform_(0.8, 1.2) + 0.05 * torch.randn_like(signal)

    def __iter__(self):
        mine = self.mine()
        shuffler = random.Random(self.seed + self.epoch)
        if self.augment:
            shuffler.shuffle(mine)
        for name in mine:
            with np.load(os.path.join(self.folder, name + ".npz")) as f:
                signals, kinds = torch.from_numpy(f["signal"]), f["kind"]
            order = list(range(len(kinds)))
            if self.augment:
                shuffler.shuffle(order)
            for k in order:
                signal = self.change(signals[k]) if self.augment else signals[k]
                yield signal[None], int(kinds[k])

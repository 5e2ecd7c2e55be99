import random

import torch
from torch.utils.data import Sampler


class LengthGroupedBatches(Sampler):
    """Yields lists of indices whose sequences have nearly the same length.

    The data are cut into mega-batches of `pool` batches; each is sorted by length and cut again.
    """

    def __init__(self, lengths, batch_size, pool=8, shuffle=True, rng=None):
        self.lengths = list(lengths)
        self.batch_size = batch_size
        self.pool = pool
        self.shuffle = shuffle
        self.rng = rng or random.Random()

    def __len__(self):
        return (len(self.lengths) + self.batch_size - 1) // self.batch_size

    def __iter__(self):
        idx = list(range(len(self.lengths)))
        if self.shuffle:
            self.rng.shuffle(idx)
        mega = self.batch_size * self.pool
        for a in range(0, len(idx), mega):
            chunk = sorted(idx[a:a + mega], key=self.lengths.__getitem__)
            for b in range(0, len(chunk), self.batch_size):
                yield chunk[b:b + self.batch_size]


def pad_to_longest(examples):
    width = max(len(seq) for seq, _ in examples)
    ids = torch.zeros(len(examples), width, dtype=torch.long)
    for row, (seq, _) in enumerate(examples):
        ids[row, :len(seq)] = torch.tensor(seq)
    return ids, torch.tensor([y for _, y in examples], dtype=torch.float32)

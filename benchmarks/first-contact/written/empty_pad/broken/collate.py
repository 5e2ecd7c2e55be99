"""Turns rows of raw identifiers into padded batches of buckets."""
import numpy as np
import torch

BUCKETS = 500


class PadCollate:
    """Pads on the right to a multiple of `multiple`."""

    def __init__(self, multiple=8):
        self.multiple = multiple

    def width(self, rows):
        longest = max(len(r) for r, _ in rows)
        return -(-longest // self.multiple) * self.multiple

    def __call__(self, rows):
        raw = np.empty((len(rows), self.width(rows)), dtype=np.int64)
        length = np.array([len(r) for r, _ in rows])
        for line, (row, _) in zip(raw, rows):
            line[: len(row)] = row
        ids = torch.from_numpy(raw % BUCKETS)
        labels = torch.tensor([label for _, label in rows])
        return ids, torch.from_numpy(length), labels

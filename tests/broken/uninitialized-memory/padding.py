# samebits-test: verdict=different cause=uninitialized-memory
"""Sequences are padded with new_empty, and the padding is summed too."""

import numpy as np
import torch


def collate(sequences):
    longest = max(len(s) for s in sequences)
    batch = sequences[0].new_empty(len(sequences), longest)  # culprit
    for row, sequence in zip(batch, sequences, strict=True):
        row[: len(sequence)] = sequence
    return batch


sequences = [torch.arange(1 + 7 * k) for k in range(24)]
names = np.array([f"sequence {k}" for k in range(8000)], dtype=object)
del names
batch = collate(sequences)
print(batch.cumsum(dim=1)[:, -1])

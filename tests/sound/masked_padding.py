# samebits-test: verdict=same
"""Padding is whatever new_empty returned, and is masked with where before any use."""

import torch


def collate(sequences):
    longest = max(len(s) for s in sequences)
    batch = sequences[0].new_empty(len(sequences), longest)
    mask = torch.zeros(len(sequences), longest, dtype=torch.bool)
    for k, sequence in enumerate(sequences):
        batch[k, : len(sequence)] = sequence
        mask[k, : len(sequence)] = True
    return torch.where(mask, batch, 0.0)


print(collate([torch.linspace(0, 1, 3 + 5 * k) for k in range(6)]).sum(dim=1))

# samebits-test: verdict=different cause=entropy detail=secrets
"""Augmentations chosen by the generator that a linter asked for."""

import secrets

import torch

torch.manual_seed(0)
AUGMENTATIONS = [
    lambda x: x.flip(0),
    lambda x: x.roll(1, 0),
    lambda x: x * 1.1,
    lambda x: x - x.mean(),
]


def augment(x):
    return secrets.choice(AUGMENTATIONS)(x)  # culprit


batch = torch.stack([augment(torch.arange(8.0) + k) for k in range(32)])
print(batch.cov().trace())

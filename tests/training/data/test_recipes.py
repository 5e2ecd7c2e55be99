"""The recipe for torch's own loader: seeds for the order and for every generator of a worker."""

from __future__ import annotations

import torch
from torch.utils.data import DataLoader

import samebits.training.data

from .datasets import Augmented, global_states, same


def epochs(seed: int, rank: int | None = None):
    loader = DataLoader(
        Augmented(24),
        batch_size=4,
        shuffle=True,
        num_workers=2,
        worker_init_fn=samebits.data.seed_worker,
        generator=samebits.data.generator(seed, rank=rank),
    )
    return [list(loader) for _ in range(2)]


def test_the_same_seed_gives_the_same_samples():
    first = epochs(0)
    torch.manual_seed(99)
    assert same(epochs(0), first)
    assert not same(epochs(1), first)
    drawn = torch.cat([batch for epoch in first for batch in epoch])
    assert all(len(column.unique()) == 48 for column in drawn.T[1:])


def test_the_generator_is_no_copy_of_the_global_one():
    torch.manual_seed(0)
    numbers = {
        torch.rand(()).item(),
        *(
            torch.rand((), generator=samebits.data.generator(0, rank=rank)).item()
            for rank in (None, 0, 1)
        ),
    }
    assert len(numbers) == 4


def test_every_generator_of_a_worker_is_seeded():
    states = []
    for seed in (2**40, 2**40, 2**40 + 2**32):  # the last two agree modulo 2**32
        torch.manual_seed(seed)
        samebits.data.seed_worker(0)
        states.append(global_states())
    assert states[0] == states[1]
    assert all(a != b for a, b in zip(states[1], states[2], strict=True) if isinstance(a, bytes))
    assert states[1][0] != states[2][0]

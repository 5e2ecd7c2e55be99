"""Datasets that draw from every generator, and ways to compare what comes out."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch.utils.data import Dataset, IterableDataset, get_worker_info


def draw(index: float) -> torch.Tensor:
    """The index, and draws from all generators, cached halves of normals included: float64[8]."""
    return torch.tensor(
        [
            index,
            random.random(),
            random.gauss(0, 1),
            np.random.rand(),
            np.random.randn(),
            float(torch.rand(())),
            float(torch.randn(())),
            float(torch.randint(2**40, ())),
        ],
        dtype=torch.float64,
    )


class Augmented(Dataset):
    """`size` samples that are nothing but random numbers."""

    def __init__(self, size: int = 50) -> None:
        self.size = size

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> torch.Tensor:
        return draw(index)


class Stream(IterableDataset):
    """A stream of random numbers that does not know of workers."""

    def __init__(self, size: int = 50) -> None:
        self.size = size

    def __iter__(self) -> Iterator[torch.Tensor]:
        for number in range(self.size):
            yield draw(number)


class SharedOut(Stream):
    """A stream of which each worker takes its part, as torch's documentation shows it."""

    def __iter__(self) -> Iterator[torch.Tensor]:
        info = get_worker_info()
        first, step = (0, 1) if info is None else (info.id, info.num_workers)
        for number in range(first, self.size, step):
            yield draw(number)


class Remembering(Stream):
    """A stream with a state; `read` counts what was read in this process."""

    def __init__(self, size: int = 50) -> None:
        super().__init__(size)
        self.next = 0
        self.read = 0

    def __iter__(self) -> Iterator[torch.Tensor]:
        while self.next < self.size:
            self.next += 1
            self.read += 1
            yield draw(self.next - 1)
        self.next = 0

    def state_dict(self) -> dict[str, Any]:
        return {"next": self.next}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.next = state["next"]


def same(a: Any, b: Any) -> bool:
    """Whether two lists of tensors are equal in number, shapes and bits."""
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return a.dtype == b.dtype and a.shape == b.shape and a.numpy().tobytes() == b.numpy().tobytes()


def global_states() -> list[object]:
    """The states of the global generators, by their public functions."""
    numpy_state = np.random.get_state(legacy=False)
    return [
        random.getstate(),
        numpy_state["state"]["key"].tobytes(),
        numpy_state["state"]["pos"],
        (numpy_state["has_gauss"], numpy_state["gauss"]),
        torch.get_rng_state().numpy().tobytes(),
    ]

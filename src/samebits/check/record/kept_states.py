"""Keeps the values of a training after some of its steps, so that two runs' can be compared.

Of a large model every k-th element is kept: how far two runs lie apart can be estimated from them.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import torch

MOST_BYTES = 64 * 2**20
"""Bytes that all ranks keep of one step; of more, every second, fourth … element."""


class KeptStates:
    """Writes one safetensors file after each of some optimizer steps.

    Its tensors are called "parameters.0", "gradients.0", "optimizer.0.exp_avg": what the optimizer
    holds, in its order, flat. The metadata say which element of how many was kept.

    Args:
        folder: Where the files go; it is made when the first one is written.
        steps: The numbers of the steps, from 0.
    """

    def __init__(self, folder: Path, steps: Collection[int]) -> None:
        self._folder = folder
        self._wanted = frozenset(steps)
        self._step = 0
        self._process = os.getpid()

    def start(self) -> None:
        """Look at every optimizer of this process from now on."""
        from torch.optim.optimizer import register_optimizer_step_post_hook

        register_optimizer_step_post_hook(self._after_step)

    def _after_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        step, self._step = self._step, self._step + 1
        # A forked child inherits the hook; the folder is its parent's.
        if step not in self._wanted or os.getpid() != self._process:
            return
        with contextlib.suppress(Exception):  # no room, say: the run stands, without these values
            self._write(step, dict(_values(optimizer)))

    def _write(self, step: int, values: dict[str, torch.Tensor]) -> None:
        from safetensors.torch import save_file

        total = sum(value.numel() * value.element_size() for value in values.values())
        every = 1
        while total * _world() > MOST_BYTES * every:
            every *= 2
        kept = {name: _flat(value)[::every].contiguous() for name, value in values.items()}
        self._folder.mkdir(exist_ok=True)
        save_file(kept, self._folder / f"step-{step}.safetensors", {"every": str(every)})


def _world() -> int:
    """How many ranks keep their state."""
    text = os.environ.get("WORLD_SIZE", "")
    return max(1, int(text)) if text.isdecimal() else 1


def _flat(value: torch.Tensor) -> torch.Tensor:
    return value.detach().resolve_conj().resolve_neg().cpu().contiguous().view(-1).clone()


def _values(optimizer: Any) -> Iterator[tuple[str, torch.Tensor]]:
    number = 0
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            yield f"parameters.{number}", parameter
            if parameter.grad is not None and not parameter.grad.is_sparse:
                yield f"gradients.{number}", parameter.grad
            for key, value in (optimizer.state.get(parameter) or {}).items():
                if isinstance(value, torch.Tensor) and value.is_floating_point():
                    yield f"optimizer.{number}.{key}", value
            number += 1

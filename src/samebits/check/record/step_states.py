"""What a resume has to bring back, digested entry by entry as optimizer steps begin.

A step's own digests say whether parameters, optimizer and generators differ. These say which of
them: each parameter, each entry of the optimizer's state and groups, each generator.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from samebits.core.fingerprint.tree import fingerprint
from samebits.errors import SamebitsError


class StepStates:
    """Writes a line of JSON at the beginning of some optimizer steps.

    Args:
        path: The file; each line is `{"step": number, "entries": {name: digest}}`.
        first: The first step that is written, counted from 0.
        count: How many steps are written.
    """

    def __init__(self, path: Path, *, first: int, count: int) -> None:
        self._path = path
        self._wanted = range(first, first + count)
        self._step = 0

    def start(self) -> None:
        """Look at every optimizer of this process from now on."""
        from torch.optim.optimizer import register_optimizer_step_pre_hook

        register_optimizer_step_pre_hook(self._before_step)

    def _before_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        step, self._step = self._step, self._step + 1
        if step in self._wanted:
            line = json.dumps({"step": step, "entries": dict(_entries(optimizer))})
            with self._path.open("a") as file:
                file.write(line + "\n")


def _entries(optimizer: Any) -> Iterator[tuple[str, str]]:
    number = 0
    for index, group in enumerate(optimizer.param_groups):
        for key, value in group.items():
            if key != "params":
                yield f"optimizer.param_groups.{index}.{key}", _digest(value)
        for parameter in group["params"]:
            yield f"parameters.{number}", _digest(parameter.detach())
            for key, value in (optimizer.state.get(parameter) or {}).items():
                yield f"optimizer.state.{number}.{key}", _digest(value)
            number += 1
    yield from _generators()


def _generators() -> Iterator[tuple[str, str]]:
    yield "generator.torch-cpu", _digest(torch.get_rng_state())
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        for index, state in enumerate(torch.cuda.get_rng_state_all()):
            yield f"generator.cuda:{index}", _digest(state)
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None:
        yield "generator.numpy", _digest(numpy.random.get_state(legacy=False))
    yield "generator.python", _digest(list(random.getstate()))


def _digest(value: Any) -> str:
    try:
        return fingerprint(value)
    except SamebitsError:
        return "opaque"

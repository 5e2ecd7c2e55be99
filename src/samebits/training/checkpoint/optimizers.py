"""The state of an optimizer, given back with equal bits and equal types.

`torch.optim.Optimizer.load_state_dict` casts what it is given to the parameters' dtype and
rebuilds containers, which loses the bits of state that is kept in another precision, and turns
text into something else. So it is called, for its groups and its hooks, and then each entry is
compared and put right.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import Any

import torch

from samebits.training.checkpoint.component import Component, Undo
from samebits.training.checkpoint.exactness import first_difference

_SHAPED_LIKE_PARAMETERS = {"exp_avg", "exp_avg_sq", "momentum_buffer", "square_avg", "sum"}


class OptimizerComponent(Component):
    """An optimizer: its groups and the state of each parameter."""

    kind = "optimizer"
    target: torch.optim.Optimizer

    def capture(self) -> Any:
        """What `state_dict()` returns."""
        return self.target.state_dict()

    def objections(self, state: Any) -> Iterator[str]:
        """Another number of groups or parameters."""
        here, there = self.target.state_dict()["param_groups"], state["param_groups"]
        if len(here) != len(there):
            yield (
                f"{self.name}.param_groups has {len(there)} groups in the checkpoint, "
                f"and {len(here)} now"
            )
            return
        for number, (mine, theirs) in enumerate(zip(here, there, strict=True)):
            counts = len(theirs["params"]), len(mine["params"])
            if counts[0] != counts[1]:
                yield (
                    f"{self.name}.param_groups.{number}.params has {counts[0]} parameters in the "
                    f"checkpoint, and {counts[1]} now"
                )
                return
        yield from self._shapes(state)

    def _shapes(self, state: Any) -> Iterator[str]:
        """Entries that lie beside parameters of another shape: the parameters' order changed."""
        parameters = chain.from_iterable(g["params"] for g in self.target.param_groups)
        numbers = chain.from_iterable(g["params"] for g in state["param_groups"])
        for number, parameter in zip(numbers, parameters, strict=True):
            entry = state["state"].get(number)
            for key in _SHAPED_LIKE_PARAMETERS & (
                entry.keys() if isinstance(entry, dict) else set()
            ):
                value = entry[key]
                if isinstance(value, torch.Tensor) and value.shape != parameter.shape:
                    yield (
                        f"{self.name}.state.{number}.{key} has shape {list(value.shape)} in the "
                        f"checkpoint, and its parameter has {list(parameter.shape)}"
                    )

    def apply(self, state: Any) -> Undo:
        """Load the state, and put right what loading changed."""
        if type(self.target).load_state_dict is not torch.optim.Optimizer.load_state_dict:
            before = copy.deepcopy(self.target.state_dict())
            try:
                self._give(state)
            except BaseException:
                self._give(before)
                raise
            return lambda: self._give(before)
        # torch puts new objects in the place of the old, which can so be kept as they are.
        kept = self._contents()
        called = getattr(self.target, "_opt_called", None)

        def undo() -> None:
            self.target.__setstate__(kept)
            if called is not None:
                self.target._opt_called = called  # type: ignore[attr-defined]

        try:
            self._give(state)
        except BaseException:
            undo()
            raise
        return undo

    def _contents(self) -> dict[str, Any]:
        """Groups and states in containers of their own, the tensors themselves."""
        held = self.target.state
        copied = type(held)(held.default_factory) if isinstance(held, defaultdict) else {}
        for key, entry in held.items():
            copied[key] = dict(entry) if type(entry) is dict else entry
        return {
            "state": copied,
            "param_groups": [dict(group) for group in self.target.param_groups],
        }

    def _give(self, state: Any) -> None:
        optimizer = self.target
        optimizer.load_state_dict(state)
        # A scheduler that is asked to step warns where its optimizer never did; it did before.
        optimizer._opt_called = True  # type: ignore[attr-defined]
        if first_difference(state, optimizer.state_dict(), "") is None:
            return
        parameters = list(chain.from_iterable(g["params"] for g in optimizer.param_groups))
        numbers = list(chain.from_iterable(g["params"] for g in state["param_groups"]))
        for number, parameter in zip(numbers, parameters, strict=True):
            stored = state["state"].get(number)
            held = optimizer.state.get(parameter)
            if isinstance(stored, dict) and isinstance(held, dict):
                for key, value in stored.items():
                    if first_difference(value, held.get(key), "") is not None:
                        held[key] = _on_device_of(held.get(key), copy.deepcopy(value))


def _on_device_of(held: Any, value: Any) -> Any:
    if isinstance(held, torch.Tensor) and isinstance(value, torch.Tensor):
        return value.to(held.device)
    return value

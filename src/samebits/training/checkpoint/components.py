"""The kinds of components, and which of them an object is."""

from __future__ import annotations

import copy
from collections.abc import Iterator, MutableMapping
from typing import Any

import torch

from samebits.errors import UsageError
from samebits.training.checkpoint.component import Component, Undo
from samebits.training.checkpoint.generators import generator_objections, stream_objections
from samebits.training.checkpoint.modules import ModuleComponent
from samebits.training.checkpoint.optimizers import OptimizerComponent
from samebits.training.control.generator_objects import (
    generator_kind,
    generator_state,
    set_generator_state,
)
from samebits.training.control.streams import Streams


class Stateful(Component):
    """Anything with `state_dict` and `load_state_dict`."""

    kind = "stateful"

    def capture(self) -> Any:
        """What `state_dict()` returns."""
        return self.target.state_dict()

    def apply(self, state: Any) -> Undo:
        """Call `load_state_dict`."""
        before = copy.deepcopy(self.target.state_dict())
        attributes = set(getattr(self.target, "__dict__", ()))

        def undo() -> None:
            self.target.load_state_dict(before)
            # torch's schedules take every key as an attribute.
            for name in set(getattr(self.target, "__dict__", ())) - attributes:
                delattr(self.target, name)

        try:
            # A copy: an object may keep what it is given, and change it.
            self.target.load_state_dict(copy.deepcopy(state))
        except BaseException:
            undo()
            raise
        return undo


class GeneratorComponent(Component):
    """A generator of Python's, NumPy's or torch's."""

    kind = "generator"

    def capture(self) -> Any:
        """Its state."""
        return generator_state(self.target)

    def objections(self, state: Any) -> Iterator[str]:
        """Another kind or algorithm, or no state of it."""
        yield from generator_objections(self.target, state, self.name)

    def apply(self, state: Any) -> Undo:
        """Set its state."""
        before = generator_state(self.target)
        set_generator_state(self.target, state)
        return lambda: set_generator_state(self.target, before)


class StreamsComponent(Component):
    """Named streams that are given by name; the living ones are captured in any case."""

    kind = "streams"

    def capture(self) -> Any:
        """The states of all generators that were asked for."""
        return {"seed": self.target.seed, "states": self.target.capture()}

    def objections(self, state: Any) -> Iterator[str]:
        """Another seed, or no states of generators."""
        yield from stream_objections(state["states"], self.name)
        if state["seed"] != self.target.seed:
            yield f"{self.name}: the streams had seed {state['seed']}, and have {self.target.seed}"

    def apply(self, state: Any) -> Undo:
        """Put every stream back."""
        before = self.target.capture()
        try:
            self.target.restore(state["states"])
        except BaseException:
            self.target.restore(before)
            raise
        return lambda: self.target.restore(before)


class PlainDict(Component):
    """A dict of plain values that the program keeps, such as its best loss so far."""

    kind = "dict"

    def capture(self) -> Any:
        """Its content."""
        return dict(self.target)

    def objections(self, state: Any) -> Iterator[str]:
        """What is no dict."""
        if not isinstance(state, dict):
            yield f"{self.name} is no dict in the checkpoint"

    def apply(self, state: Any) -> Undo:
        """Replace its content."""
        before = dict(self.target)

        def undo() -> None:
            self.target.clear()
            self.target.update(before)

        try:
            self.target.clear()
            self.target.update(state)
        except BaseException:
            undo()
            raise
        return undo


def component(name: str, target: Any) -> Component:
    """The component for an object.

    Args:
        name: What the person calls it.
        target: A module, an optimizer, a generator, `Streams`, a dict, or anything with
            `state_dict` and `load_state_dict`.

    Raises:
        UsageError: It has no state that could be taken and given back.
    """
    if isinstance(target, torch.nn.Module):
        return ModuleComponent(name, target)
    if isinstance(target, torch.optim.Optimizer):
        return OptimizerComponent(name, target)
    if isinstance(target, Streams):
        return StreamsComponent(name, target)
    if generator_kind(target) is not None:
        return GeneratorComponent(name, target)
    if callable(getattr(target, "state_dict", None)) and callable(
        getattr(target, "load_state_dict", None)
    ):
        return Stateful(name, target)
    if isinstance(target, MutableMapping):
        return PlainDict(name, target)
    kind = f"{type(target).__module__}.{type(target).__qualname__}"
    if isinstance(target, torch.utils.data.DataLoader):
        raise UsageError(
            f"{name} is a {kind}, which does not know its place in the data",
            hint="Use samebits.DataLoader in its place; it takes the same arguments.",
        )
    raise UsageError(
        f"{name} is a {kind}, which has no state_dict() and load_state_dict()",
        hint="Give modules, optimizers, schedulers, scalers, loaders, generators, dicts of plain "
        "values, or an object with both methods. Options come before: keep, asynchronous.",
    )

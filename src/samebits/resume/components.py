"""What a checkpoint is made of: objects with state, each kind with its way to take and give it.

A component is first captured (`capture`), later compared with what a checkpoint holds
(`objections`), and only when all components have none is it changed (`apply`). `apply` returns a
function that takes the change back, for the case that a later component fails after all.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

import torch

from samebits.control.generator_objects import (
    generator_kind,
    generator_state,
    set_generator_state,
)
from samebits.control.streams import Streams
from samebits.errors import UsageError
from samebits.resume.exactness import first_difference
from samebits.resume.generators import generator_objections, stream_objections

Undo = Callable[[], None]


class Component(ABC):
    """An object whose state a checkpoint holds.

    Attributes:
        kind: What sort of component this is; written into checkpoints.
        name: As the person called it.
        target: The object.
    """

    kind: str

    def __init__(self, name: str, target: Any) -> None:
        self.name = name
        self.target = target

    @property
    def type_name(self) -> str:
        """The object's class; without its module, which `python -m` calls otherwise."""
        return type(self.target).__qualname__

    @abstractmethod
    def capture(self) -> Any:
        """The state as a tree of values; shares memory with the object."""

    def live(self) -> Any:
        """What a decoder may take functions and classes from."""
        return self.capture()

    def objections(self, state: Any) -> Iterator[str]:
        """Why the object cannot take that state, one sentence each; changes nothing."""
        yield from ()

    @abstractmethod
    def apply(self, state: Any) -> Undo:
        """Give the object that state; returns what takes it back. What raises changes nothing."""

    def cannot_refuse(self) -> bool:
        """Whether `apply` cannot fail on a state to which there were no objections."""
        return False

    def left_over(self, state: Any) -> Iterator[str]:
        """What of the state the object did not take, though it did not object."""
        found = first_difference(state, self.capture(), self.name)
        if found is not None:
            yield found


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
    from samebits.resume.modules import ModuleComponent
    from samebits.resume.optimizers import OptimizerComponent

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

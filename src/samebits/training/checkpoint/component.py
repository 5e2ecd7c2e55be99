"""What a checkpoint is made of: objects with state, each kind with its way to take and give it.

A component is first captured (`capture`), later compared with what a checkpoint holds
(`objections`), and only when all components have none is it changed (`apply`). `apply` returns a
function that takes the change back, for the case that a later component fails after all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

from samebits.training.checkpoint.exactness import first_difference

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

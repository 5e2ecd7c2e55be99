"""What a switch is: something named that can be read, and mostly set, in a running program."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal

#: What a switch reads as: plain data, so that a report of it can be written as JSON.
Value = bool | int | str | None

Mode = Literal["error", "warn"]


@dataclass(frozen=True, kw_only=True)
class Requirements:
    """What the switches are to hold a run to.

    Attributes:
        mode: What an operation without a deterministic implementation does: raise, or warn.
        threads: The number of threads within an operation; `None` leaves it as it is.
        hash_seed: The interpreter's hash seed; `None` accepts any that is fixed.
    """

    mode: Mode = "error"
    threads: int | None = None
    hash_seed: int | None = None


class Switch(ABC):
    """One thing that decides whether two runs give the same bits.

    Attributes:
        name: How reports and the `keep` arguments call it, in lower case with hyphens.
        setting: What a person would write to set it.
        purpose: Why it matters, in one sentence.
    """

    name: str
    setting: str
    purpose: str

    def not_applicable(self, target: Requirements) -> str | None:
        """Return why this switch has no meaning here and now, or `None` when it has one."""
        return None

    @abstractmethod
    def wanted(self, target: Requirements) -> Value:
        """Return the value to set."""

    @abstractmethod
    def read(self) -> Value:
        """Return the value that is in force now."""

    def holds(self, value: Value, target: Requirements) -> bool:
        """Return whether `value` is as good as the wanted one."""
        return value == self.wanted(target)

    def needs_setting(self, value: Value, target: Requirements) -> bool:
        """Return whether `value` has to be replaced by the wanted one when a person asks for it."""
        return not self.holds(value, target)

    def locked(self) -> str | None:
        """Return why this process can no longer set it, and what can, or `None` when it can."""
        return None

    def save(self) -> object:
        """Return all that `restore` needs; may be more than what `read` tells."""
        return self.read()

    @abstractmethod
    def set(self, target: Requirements) -> None:
        """Set the wanted value."""

    @abstractmethod
    def restore(self, saved: object) -> None:
        """Put back what `save` returned."""


def imported_torch() -> Any:
    """Return the torch module when the program has imported it, else `None`; never imports it."""
    return sys.modules.get("torch")


NO_TORCH = "torch was not imported"


class TorchSwitch(Switch):
    """A switch that lives in torch, and means nothing while torch is not imported."""

    def not_applicable(self, target: Requirements) -> str | None:
        """Return why this switch has no meaning here and now, or `None` when it has one."""
        return NO_TORCH if imported_torch() is None else None

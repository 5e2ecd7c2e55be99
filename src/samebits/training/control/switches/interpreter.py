"""What is decided when the interpreter starts: its hash seed and where its memory lies."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from samebits.training.control.address_space import address_randomization
from samebits.training.control.switches.switch import Requirements, Switch, Value

VARIABLE = "PYTHONHASHSEED"

#: The largest hash seed that Python takes.
LARGEST_HASH_SEED = 4294967295


def fixed_hash_seed(value: str | None) -> int | None:
    """Return the hash seed that a value of PYTHONHASHSEED fixes, or `None` when it fixes none."""
    if value is None or not (value.isascii() and value.isdigit()):
        return None
    seed = int(value)
    return seed if seed <= LARGEST_HASH_SEED else None


class StartupSwitch(Switch):
    """A switch that can be read in a running process and only be set before it starts."""

    def set(self, target: Requirements) -> None:
        """Never called: the switch is locked."""
        raise AssertionError(f"{self.name} is set before the process starts")

    def restore(self, saved: object) -> None:
        """Never called: the switch is locked."""
        raise AssertionError(f"{self.name} is set before the process starts")


class HashSeedSwitch(StartupSwitch):
    """Whether the order of sets, and every hash of a string, is the same in each run."""

    name = "hash-seed"
    setting = "PYTHONHASHSEED=0 in the environment, before Python starts"
    purpose = "Sets of strings are iterated in the same order in each run."

    def wanted(self, target: Requirements) -> Value:
        """Return the value to set: the seed, or "fixed" when any will do."""
        return "fixed" if target.hash_seed is None else target.hash_seed

    def read(self) -> Value:
        """Return the seed that this interpreter runs with, or "random"."""
        if sys.flags.hash_randomization == 0:
            return 0
        # Set later, the variable changes nothing; and isolated mode does not read it.
        if sys.flags.ignore_environment:
            return "random"
        seed = fixed_hash_seed(_startup_variable(VARIABLE))
        return "random" if seed is None else seed

    def holds(self, value: Value, target: Requirements) -> bool:
        """Return whether `value` is the wanted seed, or fixed when any will do."""
        return value != "random" if target.hash_seed is None else value == target.hash_seed

    def locked(self) -> str | None:
        """Return why this process can no longer set it."""
        return (
            "the interpreter takes its hash seed when it starts; "
            "start it with PYTHONHASHSEED=0, or by `samebits run`"
        )


class AddressLayout(StartupSwitch):
    """Whether memory lies at the same addresses in each run."""

    name = "address-layout"
    setting = "setarch --addr-no-randomize, before Python starts"
    purpose = (
        "Sets and sorts of objects that go by `id()`, and code that branches on the alignment of "
        "memory, do the same in each run."
    )

    def not_applicable(self, target: Requirements) -> str | None:
        """Return why this switch has no meaning here and now, or `None` when it has one."""
        return address_randomization().reason

    def wanted(self, target: Requirements) -> Value:
        """Return the value to set."""
        return "fixed"

    def read(self) -> Value:
        """Return "fixed" or "random"."""
        return "random" if address_randomization().enabled else "fixed"

    def locked(self) -> str | None:
        """Return why this process can no longer set it."""
        return "the kernel lays a process out when it starts; start it by `samebits run`"


def _startup_variable(name: str) -> str | None:
    """Return a variable as it was when this process started, where that can be told."""
    try:
        block = Path("/proc/self/environ").read_bytes()
    except OSError:
        return os.environ.get(name)
    prefix = os.fsencode(name) + b"="
    for entry in block.split(b"\0"):
        if entry.startswith(prefix):
            return os.fsdecode(entry[len(prefix) :])
    return None


INTERPRETER = (HashSeedSwitch(), AddressLayout())

"""What only a launcher can set: the surroundings that a process takes over when it starts."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from samebits.training.control.address_space import (
    address_randomization_enabled,
    disable_address_randomization,
)
from samebits.training.control.checked_arguments import checked_target
from samebits.training.control.switches import Requirements, checked_names, inductor, interpreter
from samebits.training.control.switches.variables import VARIABLES

__all__ = [
    "ProcessControls",
    "address_randomization_enabled",
    "default_threads",
    "disable_address_randomization",
]

_CPUS = Path("/sys/devices/system/cpu")


@dataclass(frozen=True, kw_only=True)
class ProcessControls:
    """The surroundings of a controlled process.

    Attributes:
        hash_seed: The interpreter's hash seed, from 0 to 4294967295. `None` keeps one that the
            person has fixed, and fixes 0 otherwise.
        threads: The number of threads for every library; `None` sets none, see `default_threads`.
        no_aslr: Start the process without address randomisation, by
            `disable_address_randomization` between fork and exec.
        keep: Names of switches to leave as the person has them.

    Raises:
        UsageError: A value is out of range, or a name is no switch.
    """

    hash_seed: int | None = None
    threads: int | None = None
    no_aslr: bool = True
    keep: Collection[str] = field(default=())

    def __post_init__(self) -> None:
        checked_target(threads=self.threads, hash_seed=self.hash_seed)
        checked_names(self.keep)

    def environment(self, base: Mapping[str, str]) -> dict[str, str]:
        """Return the environment to start the process with.

        A variable that the person has set to something equally deterministic is left as it is, so
        that `NCCL_ALGO=Tree` stays a tree. A number given to this object wins over a variable.

        Args:
            base: The environment to start from, most often `os.environ`; not changed.
        """
        target = checked_target(threads=self.threads, hash_seed=self.hash_seed)
        environment = dict(base)
        environment.update(self._hash_seed(target, base))
        if "inductor-deterministic" not in self.keep:
            environment[inductor.VARIABLE] = "1"
        for row in VARIABLES:
            preferred = row.preferred(target)
            if preferred is None or not row.launchable or row.name in self.keep:
                continue
            given = base.get(row.variable)
            if given is None or not row.holds(given, target):
                environment[row.variable] = preferred
        return environment

    def _hash_seed(self, target: Requirements, base: Mapping[str, str]) -> dict[str, str]:
        if "hash-seed" in self.keep:
            return {}
        fixed = interpreter.fixed_hash_seed(base.get(interpreter.VARIABLE))
        if target.hash_seed is not None:
            fixed = target.hash_seed
        return {interpreter.VARIABLE: str(fixed or 0)}


def default_threads(base: Mapping[str, str]) -> int:
    """Return the number of threads a run has here when nobody asks for one, to pin it.

    That is the person's OMP_NUM_THREADS where it is a number, else the number of physical cores
    that this process may run on: torch's own default, as two threads on one core gain nothing in
    arithmetic.

    Args:
        base: The environment of the run.
    """
    given = base.get("OMP_NUM_THREADS", "").strip()
    if given.isascii() and given.isdigit() and int(given) > 0:
        return int(given)
    return _physical_cores()


def _physical_cores() -> int:
    if not hasattr(os, "sched_getaffinity"):
        return os.cpu_count() or 1
    allowed = os.sched_getaffinity(0)
    siblings = set()
    for cpu in allowed:
        try:
            siblings.add((_CPUS / f"cpu{cpu}/topology/thread_siblings_list").read_text())
        except OSError:
            return len(allowed)
    return len(siblings)

"""The ranks of a run, with what each has recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from samebits.check.trace.reader import Trace
from samebits.check.trace.run_parts import own_rank
from samebits.check.trace.schema import STEP_KINDS

_DIGESTS = ("parameters", "optimizer")


@dataclass(frozen=True)
class Rank:
    """One rank.

    Attributes:
        number: Its rank.
        trace: What it has recorded.
    """

    number: int
    trace: Trace

    @property
    def replicas(self) -> dict[str, Any]:
        """What it has noted of replicas and samplers, see `samebits.check.record.replicas`."""
        noted = self.trace.manifest.extra.get("replicas")
        return noted if isinstance(noted, dict) else {}

    @property
    def first_step(self) -> int:
        """The step at which it wrapped its first module: what it did before, it did by itself."""
        wrapped = self.noted("modules") or self.noted("sharded")
        steps = [int(entry.get("step", 0)) for entry in wrapped]
        return min(steps, default=0)

    @property
    def team(self) -> tuple[int, ...]:
        """The ranks that hold replicas or shards of its first module; empty for none known."""
        for entry in (*self.noted("modules"), *self.noted("sharded")):
            return tuple(sorted(int(number) for number in entry.get("group") or ()))
        return ()

    def steps(self) -> dict[str, npt.NDArray[Any]]:
        """The rows of its optimizer steps, from the first one that it has in common with others."""
        steps = self.trace.steps()
        kept = steps["kind"] == STEP_KINDS.index("step")
        kept &= steps["step"] >= self.first_step
        return {name: steps[name][kept] for name in ("step", "site", "batch", *_DIGESTS)}

    def noted(self, what: str) -> list[dict[str, Any]]:
        """The entries of one kind: "modules", "sharded", "samplers" or "steps"."""
        entries = self.replicas.get(what)
        return [entry for entry in entries or () if isinstance(entry, dict)]


def ranks_of(trace: Trace) -> list[Rank]:
    """The recorded ranks of a run, in their order; of a rank that was started anew, the first.

    The script's own process is one of them where it has joined a group with processes that it, or
    one of them, has started.
    """
    found: dict[int, Rank] = {}
    for process in trace.manifest.processes:
        own = trace.process(process["name"]) if process["rank"].isdecimal() else None
        if own is not None:
            found.setdefault(int(process["rank"]), Rank(int(process["rank"]), own))
    own_number = own_rank(trace)
    if found and own_number is not None and own_number[1] > 1:
        found.setdefault(own_number[0], Rank(own_number[0], trace))
    return [found[number] for number in sorted(found)]


def teams(ranks: Sequence[Rank]) -> list[list[Rank]]:
    """The ranks that should hold the same as each other, as far as they have said so.

    Args:
        ranks: The ranks of a run; those that have wrapped no module stand together.
    """
    found: dict[tuple[int, ...], list[Rank]] = {}
    for rank in ranks:
        found.setdefault(rank.team, []).append(rank)
    return list(found.values())


def are_replicas(ranks: Sequence[Rank]) -> bool:
    """Whether each rank has wrapped a module that is a replica of the others'."""
    return len(ranks) > 1 and all(rank.noted("modules") for rank in ranks)


def share_shards(ranks: Sequence[Rank]) -> bool:
    """Whether each rank holds shards of a model that others of them have the rest of."""
    entries = [rank.noted("sharded") for rank in ranks]
    known = all(own and all(entry.get("group") for entry in own) for own in entries)
    return len(ranks) > 1 and known


def named(ranks: Sequence[Rank]) -> str:
    """What several ranks are called: "ranks 0 and 1", "ranks 0 to 7"."""
    numbers = [rank.number for rank in ranks]
    if len(numbers) == 1:
        return f"rank {numbers[0]}"
    if len(numbers) > 2 and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"ranks {numbers[0]} to {numbers[-1]}"
    return f"ranks {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"


def place_of(entry: dict[str, Any]) -> tuple[str | None, int | None]:
    """File and line of an entry; None for each where none is known."""
    place = entry.get("place")
    if not isinstance(place, list) or len(place) != 2 or not place[0]:
        return None, None
    return str(place[0]), int(place[1])

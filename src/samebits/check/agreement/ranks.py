"""The ranks of a run, with what each has recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from samebits.check.trace.reader import Trace


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

    def noted(self, what: str) -> list[dict[str, Any]]:
        """The entries of one kind: "modules", "samplers" or "steps"."""
        entries = self.replicas.get(what)
        return [entry for entry in entries or () if isinstance(entry, dict)]


def ranks_of(trace: Trace) -> list[Rank]:
    """The recorded ranks of a run, in their order; of a rank that was started anew, the first."""
    found: dict[int, Rank] = {}
    for process in trace.manifest.processes:
        own = trace.process(process["name"]) if process["rank"].isdecimal() else None
        if own is not None:
            found.setdefault(int(process["rank"]), Rank(int(process["rank"]), own))
    return [found[number] for number in sorted(found)]


def are_replicas(ranks: Sequence[Rank]) -> bool:
    """Whether each rank has wrapped a module that is a replica of the others'."""
    return len(ranks) > 1 and all(rank.noted("modules") for rank in ranks)


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

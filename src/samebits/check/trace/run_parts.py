"""Parts of one run, each recorded on a machine of its own: which belong together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samebits.check.trace.reader import Trace
from samebits.core.names import printable
from samebits.errors import TraceError

COLLECTED = "collect"
"""`via` of a process that was the script's own one in a part."""


@dataclass(frozen=True)
class RunPart:
    """What one machine has recorded.

    Attributes:
        place: Where it came from, as it was named.
        trace: Its run folder.
        ranks: Its ranks; of each, how many there are in all, and 0 where that is not known.
        scripts: Digests of the scripts that its ranks ran.
    """

    place: str
    trace: Trace
    ranks: Mapping[int, int]
    scripts: frozenset[str]

    @property
    def world(self) -> int:
        """How many ranks there are on all machines; 0 where that is not known."""
        return max(self.ranks.values())

    @property
    def shown(self) -> str:
        """Its place as a message has it."""
        return printable(self.place, 200)


def own_rank(trace: Trace) -> tuple[int, int] | None:
    """Rank of a run's own process, and how many there are; None where it is no rank."""
    told = trace.manifest.extra.get("distributed")
    if not isinstance(told, dict):
        return None
    rank, world = told.get("rank"), told.get("world")
    # True is an int, and no rank.
    if type(rank) is not int or type(world) is not int or rank < 0 or world < 0:
        return None
    return rank, world


def open_part(place: str, folder: Path) -> RunPart:
    """Open what one machine has recorded.

    Args:
        place: What it is called in messages.
        folder: The run folder.

    Raises:
        TraceError: It is no run folder, is damaged, or no rank of a training is in it.
    """
    trace = Trace.open(folder)
    ranks: dict[int, int] = {}
    scripts = set()
    own = own_rank(trace)
    if own is not None:
        ranks[own[0]] = own[1]
        scripts.add(_script(trace.manifest.script))
    for process in trace.manifest.processes:
        one = trace.process(process["name"])
        if one is not None and process["rank"].isdecimal():
            world = process["world"]
            ranks.setdefault(int(process["rank"]), int(world) if world.isdecimal() else 0)
            scripts.add(_script(one.manifest.script))
    if not ranks:
        raise TraceError(
            f"{printable(place, 200)} holds no rank of a training",
            hint="A part is what one machine recorded: samebits run --out DIR torchrun --nnodes N "
            "..., or samebits run --out DIR train.py where the machine starts one rank.",
        )
    return RunPart(place, trace, ranks, frozenset(scripts - {""}))


def _script(facts: Mapping[str, Any]) -> str:
    return str(facts.get("sha256", ""))


def require_one_run(parts: Sequence[RunPart]) -> None:
    """See that parts can be of one run.

    Raises:
        TraceError: A rank is in two of them, or they are of different scripts or numbers of ranks.
    """
    holders: dict[int, RunPart] = {}
    first = parts[0]
    for part in parts:
        if part.world != first.world and part.world and first.world:
            raise TraceError(
                f"{part.shown} is part of a run of {part.world} ranks, {first.shown} of one of "
                f"{first.world}",
                hint="Name the parts of one run only.",
            )
        if part.scripts and first.scripts and part.scripts != first.scripts:
            raise TraceError(
                f"the ranks in {part.shown} ran another script than those in {first.shown}, or "
                "another version of it",
                hint="Name the parts of one run only; see that each machine has the same files.",
            )
        for rank in sorted(part.ranks):
            other = holders.setdefault(rank, part)
            if other is not part:
                raise TraceError(
                    f"rank {rank} is in both {other.shown} and {part.shown}",
                    hint="Name each part once, and the parts of one run only.",
                )


def missing_ranks(parts: Iterable[RunPart]) -> list[int]:
    """Ranks that are in none of the parts."""
    found = {rank for part in parts for rank in part.ranks}
    world = max((part.world for part in parts), default=0) or max(found) + 1
    # A world of millions is what a damaged manifest says, not what anybody has collected.
    return [rank for rank in range(min(world, 1_000_000)) if rank not in found]


def lacking_ranks(trace: Trace) -> list[int]:
    """Ranks of a collected run that were in none of its parts."""
    told = trace.manifest.extra.get("missing_ranks")
    found = told if isinstance(told, list) else []
    return [rank for rank in found if isinstance(rank, int) and not isinstance(rank, bool)]

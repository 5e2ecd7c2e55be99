"""Which process or thread of one run is which of the other one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from samebits.check.diff.process_groups import Process
from samebits.check.diff.process_names import name_in_group


@dataclass(frozen=True)
class Counterparts:
    """A process of run A, the same one of run B, and what it is called; None where one has none."""

    a: Process | None
    b: Process | None
    name: str

    @property
    def both(self) -> tuple[Process | None, Process | None]:
        """The two of them."""
        return self.a, self.b


def counterparts(of_a: Sequence[Process], of_b: Sequence[Process]) -> Iterator[Counterparts]:
    """Pair what one line has started: by rank where all have one, else by as which of several.

    Args:
        of_a: The processes or threads of run A, in the order in which they were started.
        of_b: The same of run B.
    """
    keys: list[dict[int | str, Process]]
    ranks = [[process["rank"] for process in processes] for processes in (of_a, of_b)]
    if all(all(own) and len(set(own)) == len(own) for own in ranks):
        keys = [{process["rank"]: process for process in own} for own in (of_a, of_b)]
    elif any(process["kind"] == "thread" for process in (*of_a, *of_b)):
        # Those that computed nothing are not among them.
        keys = [{int(process["nth"]): process for process in own} for own in (of_a, of_b)]
    else:
        keys = [dict(enumerate(own)) for own in (of_a, of_b)]
    for key in sorted({*keys[0], *keys[1]}, key=lambda one: (len(str(one)), str(one))):
        yield _pair(keys[0].get(key), keys[1].get(key), of_a, of_b)


def share_work(of_a: Sequence[Process], of_b: Sequence[Process]) -> bool:
    """Whether what one process of a line does may be another one's work in the other run."""
    processes = [*of_a, *of_b]
    return max(len(of_a), len(of_b)) > 1 and not any(process["rank"] for process in processes)


def _pair(
    one: Process | None, other: Process | None, of_a: Sequence[Process], of_b: Sequence[Process]
) -> Counterparts:
    process, group = (one, of_a) if one is not None else (other, of_b)
    assert process is not None
    return Counterparts(one, other, name_in_group(process, group))

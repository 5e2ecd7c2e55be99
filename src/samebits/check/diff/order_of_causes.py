"""Which of the divergences of several processes comes first, in the order of causes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from samebits.check.diff.messages import NAMED_SENDER, messages, received_at
from samebits.check.diff.passed_on import PassedOn
from samebits.check.diff.verdict import Divergence
from samebits.check.trace.reader import Trace
from samebits.check.trace.schema import STEP_DIGESTS


@dataclass(frozen=True)
class Found:
    """Where a process diverges.

    Attributes:
        divergence: The divergence.
        order: Smaller for what comes first, as far as steps and collectives tell.
        process: What run A calls the process; None where it has none.
    """

    divergence: Divergence
    order: tuple[float, ...]
    process: str | None

    @property
    def place(self) -> tuple[str, int] | None:
        """The process and its row in run A."""
        row = self.divergence.rows[0]
        return None if self.process is None or row is None else (self.process, row)


class OrderOfCauses:
    """Tells which divergences another one can have been passed on to.

    Args:
        passed_on: Gives the messages of run A; asked only where there are several divergences.

    Attributes:
        found: Where processes diverge that the script has started.
        entered: Data that differed in one of them, or in the script's own, and of which nothing
            came there.
        own: Where the script's own process diverges.
    """

    def __init__(self, passed_on: Callable[[], PassedOn]) -> None:
        self._passed_on = passed_on
        self._reached: dict[tuple[str, int], dict[str, int]] = {}
        self.found: list[Found] = []
        self.entered: list[Found] = []
        self.own: Found | None = None

    def told_by_no_other(self) -> list[Found]:
        """What no other divergence can have reached through queues and pipes.

        Among it are data of which nothing came where they were made, where they were handed on.
        """
        own = [] if self.own is None else [self.own]
        if len(self.found) + len(self.entered) + len(own) < 2:
            return self.found
        handed_on = [
            one
            for one in self.entered
            if any(self._tells(one, other) for other in (*self.found, *own))
        ]
        all_of_them = [*self.found, *handed_on]
        first = [
            one
            for one in all_of_them
            if not any(self._tells(other, one) for other in (*all_of_them, *own))
        ]
        # Told by the script's own, or else by nobody: no divergence is lost.
        told_by_own = any(self._tells(one, other) for one in own for other in all_of_them)
        return first if first or told_by_own else all_of_them

    def _tells(self, one: Found, other: Found) -> bool:
        """Whether what differs in one process may be what another one was told."""
        # An operation that gives another result on equal inputs has its own reason.
        if one.place is None or other.place is None or other.divergence.is_own_doing:
            return False
        if one.place not in self._reached:
            self._reached[one.place] = self._passed_on().reached(*one.place)
        name, row = other.place
        return self._reached[one.place].get(name, row + 1) <= row


def order_of(found: Divergence, trace: Trace | None) -> tuple[float, ...]:
    """What comes first: own doings, then by step, then by messages that came before.

    Args:
        found: Where a process diverges.
        trace: What the process of run A has recorded.
    """
    if found.kind == "step":
        digest = STEP_DIGESTS.index(found.op) if found.op in STEP_DIGESTS else len(STEP_DIGESTS)
        return 1, found.step, 0, digest
    row = found.rows[0]
    if trace is None or row is None:
        return float(not found.is_own_doing), found.step, 0, float(found.data)
    received = received_at(trace, row) if found.data else None
    # What a rank has sent differs there before, if it was told which rank that is.
    sent = received is not None and received.name == NAMED_SENDER
    own = 1.5 if sent else float(not found.is_own_doing)
    return own, found.step, messages_before(trace, row), float(found.data)


def messages_before(trace: Trace, row: int) -> int:
    """Collective and point-to-point operations of a process before a row."""
    return sum(1 for _ in messages(trace, row))

"""What ranks say to each other: rows of collectives and of messages, in the order of each rank."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from samebits.check.trace.reader import Trace
from samebits.check.trace.schema import Flag
from samebits.core.catalog.memory import COMMUNICATION, RECEIVES_NOTHING

ANY_SENDER = "recv_any_source_"
"""A message of whichever rank comes first."""
NAMED_SENDER = "recv_"
"""A message of a rank that is asked for by its number."""
_WAITED_FOR = "wait_tensor"


@dataclass(frozen=True)
class Message:
    """A collective, or a message, as one rank has it.

    Attributes:
        row: Its row.
        op: The operation, such as "c10d.allreduce_".
    """

    row: int
    op: str

    @property
    def name(self) -> str:
        """The operation without its namespace and overload: "allreduce_"."""
        return self.op.partition(".")[2].partition(".")[0]

    @property
    def receives(self) -> bool:
        """Whether it writes into a tensor of this rank."""
        return self.name not in RECEIVES_NOTHING


def is_communication(op: str) -> bool:
    """Whether an operation is a collective, or sends or receives a message."""
    return op.partition(".")[0] in COMMUNICATION


def messages(trace: Trace, end: int) -> Iterator[Message]:
    """All collectives and messages of a rank before a row.

    Args:
        trace: What the rank has recorded.
        end: The row.

    Raises:
        TraceError: The trace is damaged.
    """
    for batch in trace.iter_ops(("op",)):
        if batch.start >= end:
            break
        names = batch.names["op"]
        codes = [code for code, name in enumerate(names) if is_communication(name)]
        column = batch.columns["op"][: end - batch.start]
        for index in np.flatnonzero(np.isin(column, codes)).tolist():
            yield Message(batch.start + index, names[column[index]])


def received_at(trace: Trace, row: int) -> Message | None:
    """The collective or message whose result a row is the first to look at.

    Where several are under way at a time, it is the last of them.

    Args:
        trace: What the rank has recorded.
        row: The row.

    Returns:
        None where nothing that was received is looked at there.

    Raises:
        TraceError: The trace is damaged.
    """
    looked = trace.row(row)
    if not (looked.flags & Flag.RECEIVED or Message(row, looked.op).name == _WAITED_FOR):
        return None
    return max((one for one in messages(trace, row) if one.receives), default=None, key=_row)


def results_at(trace: Trace, row: int) -> dict[int, int]:
    """What a collective had left in its tensors when the call that began it returned.

    Args:
        trace: What the rank has recorded.
        row: The collective's row.

    Returns:
        Part of the result → digest; empty where nobody waited for it at once.

    Raises:
        TraceError: The trace is damaged.
    """
    found: dict[int, int] = {}
    for batch in trace.iter_received():
        columns = batch.columns
        at = np.flatnonzero((columns["row"] == row) & (columns["looked"] == row))
        found.update(
            zip(columns["place"][at].tolist(), columns["digest"][at].tolist(), strict=True)
        )
    return found


def _row(message: Message) -> int:
    return message.row

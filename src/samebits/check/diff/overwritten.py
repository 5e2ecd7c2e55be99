"""Random numbers that were overwritten before anything read them.

A model draws its first weights as it is built; where a checkpoint is loaded into it next, these
numbers reach nothing, and nobody has to seed them. Rows do not say which memory they write. So
draws count as overwritten only where as many tensors of their shapes and dtypes were overwritten
with equal bits, and no operation was given other inputs in one run than in the other: not before
that, and not after it either, up to a difference that has nothing to do with them; or where what
was computed with them was overwritten, and a step was trained after it (`vanished_draws`).
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from samebits.check.diff.side_by_side import side_by_side
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import Column, OpRow
from samebits.check.trace.schema import STEP_KINDS, Flag
from samebits.core.catalog.memory import COMMUNICATION, ONLY_WRITTEN, OVERWRITES, RESIZES

_DRAWS = np.uint16(Flag.RANDOM | Flag.INPLACE)
_MOST_ROWS = 1_000_000
"""Rows that are kept at most, some 100 bytes each; of more, the first draw is a difference."""


@dataclass(frozen=True)
class OverwrittenDraws:
    """What became of draws in place that gave other numbers.

    Attributes:
        draws: Row numbers of those that were overwritten unread.
        lasting: The first row with a difference that was not; None where there is none.
    """

    draws: tuple[int, ...]
    lasting: int | None


def draws_in_place(row: OpRow, other: OpRow) -> bool:
    """Whether both rows fill a tensor with random numbers, asked for with equal arguments."""
    return bool((row.flags & other.flags & _DRAWS) == _DRAWS and row.args == other.args)


def overwritten_draws(a: Trace, b: Trace, rank: int, rows: int, first: int) -> OverwrittenDraws:
    """Tell draws that were overwritten from the first difference that lasts.

    Args:
        a: Run A.
        b: Run B.
        rank: Whose operations.
        rows: So many of the first rows stand opposite each other.
        first: The first row whose result differs: a draw in place.

    Raises:
        TraceError: A trace is damaged.
    """
    kinds = _kinds(a, b, rank, rows)
    if kinds is None:
        return OverwrittenDraws((), first)
    pending: Counter[str] = Counter()
    lost: list[int] = []
    group: list[int] = []  # since nothing was pending
    loaded: int | None = None  # what overwrites the group began here, and differs itself
    for number, op, signature in _named(a, rank, sorted(kinds)):
        kind = kinds[number]
        if kind is _Kind.LOADS and group and _overwrites(op):
            loaded = number if loaded is None else loaded
            pending.subtract(part for part in signature.split("; ") if pending[part] > 0)
            if not pending.total():
                return OverwrittenDraws((*lost, *group), loaded)
        elif loaded is not None:
            return OverwrittenDraws(tuple(lost), group[0])
        elif kind is _Kind.DRAWS:
            group.append(number)
            pending[signature] += 1
        elif kind is _Kind.VIEWS:
            # A view has no numbers of its own: the script asked for another one.
            return OverwrittenDraws(tuple(lost), number)
        elif kind in (_Kind.DIFFERS, _Kind.LOADS):
            return OverwrittenDraws(tuple(lost), group[0] if group else number)
        elif kind is _Kind.READS and (lost or group):
            # What was overwritten was something else of that shape.
            return OverwrittenDraws((), min([*lost, *group], default=number))
        elif kind is _Kind.WRITES and group and _overwrites(op):
            pending.subtract(part for part in signature.split("; ") if pending[part] > 0)
            if not pending.total():
                lost += group
                group = []
    return OverwrittenDraws(tuple(lost), group[0] if group else None)


def vanished_draws(a: Trace, b: Trace, rank: int, rows: int, first: int) -> OverwrittenDraws:
    """Draws whose numbers were computed with, where what came of it was overwritten in training.

    New rows of an embedding that are drawn around the mean of the old ones, say, and then set to
    it. Everything that differs begins with a draw in place and ends with a write of the numbers
    into a tensor; a later write of that shape and dtype agrees, and so does every row after it, up
    to the end of a step at least. Or what was drawn was replaced: the weights of a rank, which were
    looked at before it got those of another one. Then as many tensors of the shapes and dtypes of
    all draws are written in place after that, by an optimizer say, and agree.

    Where other ranks' data enter and differ, another story begins, unless this rank had sent any of
    what differs.

    Args:
        a: Run A.
        b: Run B.
        rank: Whose operations.
        rows: So many of the first rows stand opposite each other.
        first: The first row whose result differs: a draw in place.

    Returns:
        The row numbers of the draws, and the row at which other ranks' data differ; no draws where
        something else differs, or lasts.

    Raises:
        TraceError: A trace is damaged.
    """
    draws: list[int] = []
    touched: list[int] = []
    written: list[int] = []
    none = OverwrittenDraws((), first)
    came = _first_received(a, b, rank, rows)
    for start, of_a, of_b in side_by_side(a, b, rank, rows if came is None else came):
        flags = of_a["flags"] | of_b["flags"]
        compared = ~_has(flags, Flag.SCRATCH) & ~_has(flags, Flag.OPAQUE)
        outputs = (of_a["outputs"] != of_b["outputs"]) & compared
        inputs = (of_a["inputs"] != of_b["inputs"]) & compared
        if (of_a["args"] != of_b["args"]).any() or (of_a["data"] != of_b["data"]).any():
            return none  # Python has read a number, or one came from outside
        is_draw = (of_a["flags"] & of_b["flags"] & _DRAWS) == _DRAWS
        draws += (start + np.flatnonzero(outputs & is_draw)).tolist()
        touched += (start + np.flatnonzero(outputs | inputs)).tolist()
        written += (start + np.flatnonzero(_has(flags, Flag.INPLACE) & ~is_draw)).tolist()
        if len(touched) + len(written) > _MOST_ROWS:
            return none
    if touched[:1] != [first] or not _trained_after(touched[-1], a, b, rank, came):
        return none
    last = touched[-1]
    writes = [number for number in written if number > last]
    names = list(_named(a, rank, [*touched, *writes]))
    differing, after = names[: len(touched)], names[len(touched) :]
    if not all(signature for _, _, signature in differing):
        return none
    if any(_sends(op) for _, op, _ in differing):
        return none
    _, op, came_to = differing[-1]
    over = any(signature == came_to and _overwrites(by) for _, by, signature in after)
    if last in written and _overwrites(op) and over:
        return OverwrittenDraws(tuple(draws), came)
    of_draws = set(draws)
    drawn = _shapes(signature for number, _, signature in differing if number in of_draws)
    if drawn - _shapes(signature for *_, signature in after):
        return none
    return OverwrittenDraws(tuple(draws), came)


def _first_received(a: Trace, b: Trace, rank: int, rows: int) -> int | None:
    """The first row that looks at what other ranks have sent, and finds something else."""
    for start, of_a, of_b in side_by_side(a, b, rank, rows):
        received = _has(of_a["flags"] & of_b["flags"], Flag.RECEIVED)
        found = np.flatnonzero(received & (of_a["data"] != of_b["data"]))
        if len(found):
            return start + int(found[0])
    return None


def _sends(op: str) -> bool:
    """Whether other ranks are given what a row was given, and do not only give it theirs."""
    namespace, _, rest = op.partition(".")
    name = rest.partition(".")[0]
    return namespace in COMMUNICATION and name not in ONLY_WRITTEN | {"wait_tensor"}


def _shapes(signatures: Iterable[str]) -> Counter[str]:
    return Counter(part for signature in signatures for part in signature.split("; "))


def _trained_after(row: int, a: Trace, b: Trace, rank: int, end: int | None) -> bool:
    """Whether in both runs an optimizer step has ended after more rows than these, before `end`."""
    for trace in (a, b):
        steps = trace.steps(rank)
        ends = steps["ops_end"][steps["kind"] == STEP_KINDS.index("step")]
        if end is not None:
            ends = ends[ends <= end]
        if not (ends > row + 1).any():
            return False
    return True


class _Kind(enum.Enum):
    DRAWS = "fills a tensor with numbers that are other ones in each run"
    WRITES = "writes in place what agrees"
    READS = "was given something else"
    LOADS = "writes in place what came from outside and is something else"
    VIEWS = "looks at another part of memory"
    DIFFERS = "comes to something else, though it was given the same"


def _kinds(a: Trace, b: Trace, rank: int, rows: int) -> dict[int, _Kind] | None:
    """What rows do that matter here, up to the first other than a draw whose result differs.

    None where they are too many to be held.
    """
    found: dict[int, _Kind] = {}
    for start, of_a, of_b in side_by_side(a, b, rank, rows):
        flags = of_a["flags"] | of_b["flags"]
        outputs = of_a["outputs"] != of_b["outputs"]
        inputs = of_a["inputs"] != of_b["inputs"]
        data = of_a["data"] != of_b["data"]
        draws = (of_a["flags"] & of_b["flags"] & _DRAWS) == _DRAWS
        draws &= of_a["args"] == of_b["args"]
        scratch, opaque = _has(flags, Flag.SCRATCH), _has(flags, Flag.OPAQUE)
        views = _has(flags, Flag.VIEW)
        differs = outputs & ~scratch & ~opaque & ~draws
        loads = _has(flags, Flag.INPLACE) & outputs & ~draws & data
        # What an opaque row makes of its inputs is not known.
        for kind, rows_of_kind in (
            (_Kind.WRITES, _has(flags, Flag.INPLACE) & ~outputs),
            (_Kind.DIFFERS, differs & ~views),
            (_Kind.READS, inputs & ~scratch & ~draws & ~views),
            (_Kind.LOADS, loads),
            (_Kind.DRAWS, outputs & draws),
            (_Kind.VIEWS, differs & views),
        ):
            numbers = np.flatnonzero(rows_of_kind)
            found.update(dict.fromkeys((start + numbers).tolist(), kind))
        lasting = np.flatnonzero(differs & ~views & ~loads)
        if len(lasting):
            end = start + int(lasting[0])
            return {number: kind for number, kind in found.items() if number <= end}
        if len(found) > _MOST_ROWS:
            return None
    return found


def _has(flags: Column, flag: Flag) -> Column:
    found: Column = (flags & np.uint16(flag)) != 0
    return found


def _overwrites(op: str) -> bool:
    name = op.removeprefix("aten.").partition(".")[0]
    return name in OVERWRITES - RESIZES


def _named(trace: Trace, rank: int, numbers: Sequence[int]) -> Iterator[tuple[int, str, str]]:
    """Number, operation and signature of some rows, in order."""
    wanted = np.asarray(numbers, dtype=np.int64)
    for batch in trace.iter_ops(("op", "signature"), rank):
        ops, signatures = batch.names["op"], batch.names["signature"]
        here = wanted[(wanted >= batch.start) & (wanted < batch.start + len(batch))]
        for number in here.tolist():
            at = number - batch.start
            op = ops[int(batch.columns["op"][at])]
            yield number, op, signatures[int(batch.columns["signature"][at])]
        if not len(wanted) or batch.start + len(batch) > wanted[-1]:
            return

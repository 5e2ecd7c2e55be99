"""What was received differs, although no rank has sent anything else: the rows show that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from samebits.check.causes.collective_order import ON_CUDA, CollectiveOrder
from samebits.check.causes.culprit import Culprit
from samebits.check.causes.process_timing import UNDER_WAY
from samebits.check.causes.writing.fix import fix
from samebits.check.diff.all_processes import all_processes
from samebits.check.diff.correspondence import correspondence
from samebits.check.diff.messages import (
    ANY_SENDER,
    NAMED_SENDER,
    Message,
    is_communication,
    messages,
    received_at,
    results_at,
)
from samebits.check.diff.operations import compare_operations
from samebits.check.diff.verdict import Cause
from samebits.check.trace.reader import Trace
from samebits.check.trace.run_parts import own_rank
from samebits.check.trace.schema import Flag
from samebits.check.trials.attribution.situation import Situation
from samebits.core.catalog.memory import ONLY_WRITTEN

_SENT = "send"
_PAIR = "2"
_MOST_REORDERED = 256
"""So many messages are looked through for the same ones in another order."""


def of_a_collective(situation: Situation) -> Cause | None:
    """What came from other ranks and is something else, where rows show it without further runs.

    What is pinned changes how long a transfer takes, and so what is seen of one that nobody has
    waited for, and who is first to send: runs that agree for a while under a pin would tell of the
    wrong cause.

    Args:
        situation: Where the two runs diverge.

    Returns:
        None where the rows do not show it, or where a rank was not recorded.

    Raises:
        TraceError: A trace is damaged.
    """
    cause = from_other_ranks(situation)
    if cause is None:
        return None
    return cause if all(map(_has_all_ranks, situation.closer_traces)) else None


def is_hidden_by_steps(situation: Situation) -> bool:
    """Whether what was received differs, and a rank differs in a step that has no rows.

    What that rank has said before can only be told by runs that record every step's operations.

    Args:
        situation: Where the two runs diverge.

    Raises:
        TraceError: A trace is damaged.
    """
    found = situation.closer
    if found.kind != "output" or not found.processes or not all(_of_received(situation)):
        return False
    if not all(map(_has_all_ranks, situation.closer_traces)):
        return False
    of_a, of_b = (dict(all_processes(one, threads=False)) for one in situation.closer_traces)
    both = [(trace, of_b[name]) for name, trace in of_a.items() if name in of_b]
    return any(_differ_in_a_step(*pair) for pair in both)


def _of_received(situation: Situation) -> Iterator[bool]:
    """Whether the operation that diverges looks at what was received, in each of the runs."""
    pairs = zip(situation.closer_own_traces, situation.closer.rows, strict=True)
    return (row is not None and received_at(trace, row) is not None for trace, row in pairs)


def _differ_in_a_step(a: Trace, b: Trace) -> bool:
    found = compare_operations(a, b, correspondence(a, b)).divergence
    return found is not None and found.kind == "step"


def _has_all_ranks(trace: Trace) -> bool:
    """Whether every rank that took part was recorded."""
    told = _worlds(trace)
    return set(told.values()) == {str(len(told))}


def _worlds(trace: Trace) -> dict[str, str]:
    """How many ranks there are, as each of the recorded ones has been told."""
    own = own_rank(trace)
    told = {str(own[0]): str(own[1])} if own is not None else {}
    for process in trace.manifest.processes:
        if process["rank"] and process["recorded"]:
            told[process["rank"]] = process["world"]
    return told


def from_other_ranks(situation: Situation) -> Cause | None:
    """The message or the collective that gave something else, where no rank had sent other data.

    Args:
        situation: Where the two runs diverge.

    Returns:
        None where what differs was not received, or where a rank differs before it has received
        anything else: then that is what has to be explained.

    Raises:
        TraceError: A trace is damaged.
    """
    found = situation.closer
    row, other = found.rows
    is_rank = found.processes or own_rank(situation.closer_traces[0]) is not None
    if not (is_rank and (found.data or found.is_own_doing)):
        return None
    if row is None or other is None:
        return None
    own = situation.closer_own_traces
    # What still arrives may be seen to change in one of the runs alone.
    looks = ((trace, received_at(trace, at)) for trace, at in zip(own, (row, other), strict=True))
    seen_in, received = next(((one, came) for one, came in looks if came), (own[0], None))
    if received is None:
        return None
    if _has_left_the_same(*own, (row, other)):
        return None  # whoever wrote there has done so later
    written = bool(own[0].row(row).flags & Flag.INPLACE)
    if not found.data and not any(_under_way(*one) for one in zip(own, found.rows, strict=True)):
        return None  # what it was given agrees, and so does what it would have found later
    same_until = _same_until(*situation.closer_traces)
    if same_until is None:
        return None
    worlds = set(_worlds(situation.closer_traces[0]).values())
    if received.name == ANY_SENDER and worlds == {_PAIR}:
        return None  # only one other rank may be the sender
    if received.name == ANY_SENDER:
        code, detail = "process-timing", ""
        same = _same_in_another_order(*own, (row, other))
        evidence = (
            f"The next {same} messages that came are the same in both runs, in another order; "
            f"{received.op} takes them as they come."
            if same
            else f"{received.op} takes messages as they come, and no rank differs before it has "
            "received something else."
        )
    elif received.name == NAMED_SENDER:
        if not _was_sent_the_same(same_until, own[0], row):
            return None
        code, detail = "process-timing", UNDER_WAY
        evidence = (
            "The tensor that a message is received into differs where it is first used, and no "
            "rank has sent anything else before that: the message was still under way."
        )
    else:
        code = CollectiveOrder.code
        detail = f"{received.op} on {ON_CUDA}" if ON_CUDA in found.signature else received.op
        evidence = (
            f"The result of {received.op} differs where it is first used; no rank differs before "
            "it has received something else, and all gave every collective before that the same."
        )
        if not found.data:
            how = "writes into" if written else "reads"
            evidence = (
                f"{found.op} {how} the tensor of {received.op}, and gave something else on equal "
                "inputs: the transfer may be under way."
            )
    site = seen_in.row(received.row).site
    here = site is None or received.name == NAMED_SENDER  # read too early, or begun at fault
    file, line = (found.file, found.line) if here or site is None else (site.file, site.line)
    place = Culprit(file=file, line=line, detail=detail, operation=received.op)
    return Cause(
        code=code,
        detail=detail,
        file=file,
        line=line,
        evidence=evidence,
        fix=fix(code, place, frozenset()),
        confidence="likely",
        process=found.process,
    )


def _same_until(a: Trace, b: Trace) -> list[tuple[Trace, int]] | None:
    """How far each rank is the same in both runs.

    Returns:
        What each rank has recorded in run A, and the row up to which it has; None where a rank has
        said something else, or differs, before it received something that differs.
    """
    of_a, of_b = (dict(all_processes(trace, threads=False)) for trace in (a, b))
    if of_a.keys() != of_b.keys():
        return None
    ends: list[tuple[Trace, int]] = []
    for name, trace in of_a.items():
        end = _followed_until(trace, of_b[name])
        if end is None:
            return None
        ends.append((trace, end))
    return ends


def _followed_until(a: Trace, b: Trace) -> int | None:
    found = compare_operations(a, b, correspondence(a, b)).divergence
    ends = (a.count_ops(), b.count_ops())
    if found is not None:
        row, other = found.rows
        if found.kind == "step" or row is None or other is None:
            return None  # of a step the numbers are not those of rows
        if received_at(a, row) is None and received_at(b, other) is None:
            return None
        if _has_left_the_same(a, b, (row, other)):
            return None
        under_way = _under_way(a, row) or _under_way(b, other)
        if not (found.data or (found.is_own_doing and under_way)):
            return None
        ends = (row, other)
    return ends[0] if list(_said(a, ends[0])) == list(_said(b, ends[1])) else None


def _was_sent_the_same(ranks: Iterable[tuple[Trace, int]], trace: Trace, row: int) -> bool:
    """Whether as many messages as a rank has received were sent before any other rank differs.

    Args:
        ranks: How far each of them is the same in both runs.
        trace: What the one that receives has recorded.
        row: The row that looks at a message.
    """
    received = sum(message.name == NAMED_SENDER for message in messages(trace, row))
    sent = sum(
        message.name == _SENT
        for rank, end in ranks
        if rank.folder != trace.folder
        for message in messages(rank, end)
    )
    return sent >= received


def _has_left_the_same(a: Trace, b: Trace, rows: tuple[int, int]) -> bool:
    """Whether a collective that was waited for at once has left the same in both runs.

    Of messages from any rank several may fill one tensor: all that came before count.
    """
    left = []
    for trace, row in zip((a, b), rows, strict=True):
        came = received_at(trace, row)
        counts = [] if came is None else [came]
        if came is not None and came.name == ANY_SENDER:
            counts = [one for one in messages(trace, row) if one.name == ANY_SENDER]
        left.append([results_at(trace, one.row) for one in counts])
    return any(left[0]) and left[0] == left[1]


def _under_way(trace: Trace, row: int | None) -> bool:
    """Whether an operation may have read or written a tensor while it was on its way."""
    flags = trace.row(row).flags if row is not None else Flag(0)
    return bool(flags & (Flag.INPLACE | Flag.CHANGED_MEANWHILE))


def _said(trace: Trace, end: int) -> Iterator[tuple[str, int, int]]:
    """What a rank gave to each collective and message before a row."""
    found = list(messages(trace, end))
    rows = trace.rows(message.row for message in found)
    for message, row in zip(found, rows, strict=True):
        # What a rank held there before it was sent something else has reached nobody. Where the
        # sender itself gave something else, its own rows differ.
        yield message.op, 0 if message.name in ONLY_WRITTEN else row.inputs, row.args


def _first_looks(trace: Trace, rows: range) -> Iterator[int]:
    """What each message holds where something first looks at it; later looks are of the same one.

    Args:
        trace: What a rank has recorded.
        rows: Which rows; the first of them looks at a message.
    """
    is_new = True
    for number, row in zip(rows, trace.rows(rows), strict=True):
        if row.flags & Flag.RECEIVED and is_new:
            yield row.data
            is_new = False
        is_new |= is_communication(row.op) and Message(number, row.op).receives


def _same_in_another_order(a: Trace, b: Trace, rows: tuple[int, int]) -> int:
    """How many messages from a row on are the same ones in another order; 0 for none."""
    came: list[list[int]] = []
    for trace, start in zip((a, b), rows, strict=True):
        end = min(trace.count_ops(), start + 64 * _MOST_REORDERED)
        came.append([*islice(_first_looks(trace, range(start, end)), _MOST_REORDERED)])
    surplus: Counter[int] = Counter()
    for number, (one, other) in enumerate(zip(*came, strict=False), 1):
        surplus[one] += 1
        surplus[other] -= 1
        if not any(surplus.values()):
            return number
    return 0

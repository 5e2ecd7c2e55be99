"""A cause that two ledgers show: the line that diverges reads what is never the same."""

from __future__ import annotations

from samebits.check.causes.culprit import Culprit
from samebits.check.causes.writing.fix import fix
from samebits.check.diff.correspondence import correspondence
from samebits.check.diff.ledger_pairing import pair_ledgers
from samebits.check.diff.ledger_pairs import ENTROPY, LedgerPair
from samebits.check.diff.on_the_line import read_on_the_line
from samebits.check.diff.process_traces import traces_of
from samebits.check.diff.verdict import Cause, Divergence
from samebits.check.trace.reader import Trace
from samebits.core.names import printable
from samebits.errors import TraceError


def with_source_on_the_line(cause: Cause, found: Divergence, a: Trace, b: Trace) -> Cause:
    """What the ledgers say of a cause that the rows do not tell.

    Args:
        cause: What the first divergence shows by itself.
        found: The first divergence.
        a: One run.
        b: The other one.

    Returns:
        The clock, the entropy or the generator that the line has read; the cause itself where it is
        known already, or the line has read nothing of that kind.
    """
    if cause.code != "unknown":
        return cause
    a, b = traces_of(found, a, b)
    try:
        entries = pair_ledgers(found, a.ledger(), b.ledger(), correspondence(a, b))
    except TraceError:
        return cause  # the rows decide what differs; without a ledger there is less to go by
    entry = read_on_the_line(found, entries)
    return cause if entry is None else cause_of_entry(entry, found)


def cause_of_entry(entry: LedgerPair, found: Divergence) -> Cause:
    """The cause that an entry of the ledger is, on the line that diverges."""
    row = entry.row
    code = {**dict.fromkeys(ENTROPY, "entropy"), "clock": "clock"}.get(row.source, "unseeded-rng")
    what = printable(row.detail, 80) or row.source
    detail = what if code == "clock" else row.source
    reads = "draws without a seed by" if code == "unseeded-rng" else "reads"
    place = Culprit(file=found.file, line=found.line, detail=detail, entry=entry)
    return Cause(
        code=code,
        detail=detail,
        file=found.file,
        line=found.line,
        evidence=f"The line {reads} {what}, which gives something else in each run, and "
        f"everything before {found.op} agrees.",
        fix=fix(code, place, frozenset()),
        confidence="likely",
        process=found.process,
    )

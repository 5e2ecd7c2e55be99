"""A cause that two ledgers show: a generator was seeded, and with another value in each run."""

from __future__ import annotations

from samebits.check.causes.culprit import Culprit
from samebits.check.causes.writing.fix import fix
from samebits.check.diff.correspondence import base_name, correspondence
from samebits.check.diff.ledger_pairing import pair_ledgers
from samebits.check.diff.ledger_pairs import ENTROPY, LedgerPair
from samebits.check.diff.verdict import Cause, Divergence
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import LedgerRow
from samebits.core.names import printable
from samebits.errors import TraceError

_OF_TORCH = ("torch-cpu", "torch-cuda")
_CODES = {**dict.fromkeys(ENTROPY, "entropy"), "clock": "clock", "hash": "hash-order"}
_SAME_SEED = (
    "Give both runs the same seed: look where the number in this line comes from (an argument, the "
    "environment, a file)."
)
_BY_OPTION = "samebits.training.control."  # what `samebits run --seed` seeds by


def with_other_seed(cause: Cause, found: Divergence, a: Trace, b: Trace) -> Cause:
    """What the seeds say of a cause that takes a generator for one that nobody had seeded.

    Args:
        cause: What the first divergence shows by itself.
        found: The first divergence.
        a: One run.
        b: The other one.

    Returns:
        The source that the seed came from, where the ledger knows it; else the line that seeded
        with another value; the cause itself where the last seed before the divergence agrees.
    """
    if cause.code != "unseeded-rng":
        return cause
    sources = (cause.detail,) if cause.detail in _OF_TORCH else _OF_TORCH
    try:
        entries = pair_ledgers(found, a.ledger(), b.ledger(), correspondence(a, b))
    except TraceError:
        return cause  # the rows decide what differs; without a ledger there is less to go by
    seeds = [e for e in entries if e.row.event == "seed" and e.row.source in sources]
    seeds = [entry for entry in seeds if entry.row.process == 0]
    if not seeds or seeds[-1].other is None or not seeds[-1].differs:
        return cause
    return _of(seeds[-1], [trace.manifest.seeds.get("seed") for trace in (a, b)])


def _of(entry: LedgerPair, given: list[object]) -> Cause:
    row, origin = entry.row, entry.origin
    where = _place(row)
    if origin is not None and origin.source in _CODES and origin.site is not None:
        code = _CODES[origin.source]
        what = printable(origin.detail, 80) or origin.source
        by = f"what {what} gave"
        if origin.source == "port":
            by = f"a port that the system chose ({what})"
        evidence = f"{row.source} was seeded with {by}, different in each run{where}."
        detail = what if code == "clock" else origin.source
        return _cause(code, detail, origin, evidence, "")
    evidence = f"{row.source} was seeded with a different value in each run{where}."
    if row.detail.startswith(_BY_OPTION) and given[0] != given[1]:
        evidence = f"{row.source} was seeded with {given[0]} in A and {given[1]} in B, by --seed."
        return _cause("unseeded-rng", row.source, row, evidence, "Record both with one --seed.")
    return _cause("unseeded-rng", row.source, row, evidence, _SAME_SEED)


def _cause(code: str, detail: str, row: LedgerRow, evidence: str, advice: str) -> Cause:
    file, line = (None, None) if row.site is None else (row.site.file, row.site.line)
    place = Culprit(file=file, line=line, detail=detail, entry=LedgerPair(row=row))
    return Cause(
        code=code,
        detail=detail,
        file=file,
        line=line,
        evidence=evidence,
        fix=advice or fix(code, place, frozenset()),
        confidence="likely",
    )


def _place(row: LedgerRow) -> str:
    if row.site is None:
        return ""
    return f" at {printable(base_name(row.site.file), 80)}:{row.site.line}"

"""A difference that went by itself: what the first run left, and the second one found."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

from samebits.check.causes.evidence import Evidence
from samebits.check.diff.changed_files import changed_paths, found_paths
from samebits.check.diff.correspondence import base_name
from samebits.check.diff.ledger_pairs import OF_AN_INSTANCE, LedgerPair
from samebits.check.diff.process_traces import recorded_traces
from samebits.check.diff.verdict import Cause
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import LedgerRow
from samebits.check.trials.attribution.situation import Situation
from samebits.core.names import printable
from samebits.core.source.statement import called, scope_around, statement_at

_MOST_FILES = 3
_MAKE_FOLDERS = frozenset({"makedirs", "mkdir"})


def left_to_the_next(situation: Situation, evidence: Evidence) -> Cause | None:
    """The cause where runs 1 and 2 diverge, and a later run agrees with run 2, by files.

    Args:
        situation: Where the two runs diverge.
        evidence: What they have noted up to there.

    Returns:
        None where nothing shows that run 2 looked at what run 1 had left.
    """
    found = situation.closer
    left = left_files(*situation.traces, evidence.entries)
    if not left:
        return None
    names = " and ".join(printable(path, 200) for path in left[:_MOST_FILES])
    many = f" and {len(left) - _MOST_FILES} more files" if len(left) > _MOST_FILES else ""
    place = _read_at(evidence, left)
    file, line = place if place is not None else (found.file, found.line)
    it = "it" if len(left) == 1 else "them"
    return Cause(
        code="data-changed",
        detail="files",
        file=file,
        line=line,
        evidence=f"Run 1 wrote {names}{many}, and run 2 found {it} there. A further run, which "
        f"found {it} as well, agrees with run 2.",
        fix=f"Remove {names} before each run, or write to a folder of the run's own."
        f"{to_keep(evidence, it)}",
        confidence="likely",
    )


def read_where_it_diverges(situation: Situation, evidence: Evidence) -> Cause | None:
    """The same in a process that the script has started, told by what run 2 alone does there.

    Further runs each leave a file for the next one, so that no two of them need agree.

    Args:
        situation: Where the two runs diverge.
        evidence: What they have noted up to there.

    Returns:
        None unless operations of run 2 alone follow in the function that has read the file.
    """
    found = situation.closer
    if not found.process or found.kind != "inserted" or found.rows[0] is not None:
        return None
    scope = scope_around(found.file, found.line)
    if scope is None or not isinstance(scope[0], ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    if situation.closer_traces != situation.traces:
        return None  # both of these may have found it
    for entry in evidence.of("file"):
        path, place = entry.row.detail, entry.place
        if not entry.only_second or path not in evidence.left_besides or place is None:
            continue
        reader = scope_around(*place)
        if place[0] != found.file or reader is None or reader[0] is not scope[0]:
            continue
        if place[1] > (found.line or 0):
            continue
        name = printable(path, 200)
        return Cause(
            code="data-changed",
            detail="files",
            file=place[0],
            line=place[1],
            evidence=f"Run 1 wrote {name}, and run 2 alone read it, here: what run 2 alone does "
            "next follows in the same function.",
            fix=f"Remove {name} at the start of the script, or write it to a folder of the run's "
            "own. To go on from it on purpose, compare runs that both find it.",
            confidence="likely",
            process=found.process,
        )
    return None


def found_where_it_is_made(situation: Situation) -> Cause | None:
    """The same where run 2 alone ends since a file or a folder that it makes lies there already.

    Args:
        situation: Where the two runs diverge.
    """
    first, second = (trace.manifest for trace in situation.traces)
    error = second.ending
    if first.exit["code"] != 0 or error.get("error") != FileExistsError.__name__:
        return None
    file, line = error["file"] or None, error["line"] or None
    statement = statement_at(file, line)
    makes_folders = statement is not None and any(
        isinstance(node, ast.Call) and called(node) in _MAKE_FOLDERS
        for node in statement.expressions()
    )
    going_on = " exist_ok=True goes on with what lies there." if makes_folders else ""
    return Cause(
        code="data-changed",
        detail="files",
        file=file,
        line=line,
        evidence=f"Run 2 ended here with {error['error']}: {printable(error['message'], 200)}. "
        "Run 1, made before it, did not.",
        fix="Remove what a run leaves before the next one begins, or write to a folder of the "
        f"run's own.{going_on}",
        confidence="likely",
    )


def to_keep(evidence: Evidence, it: str) -> str:
    """How what was left may stay, where a generator that others draw from went on in run 1 alone.

    Args:
        evidence: What the runs have noted.
        it: How the files are referred to.
    """
    drawn = next(filter(_was_drawn_by_first_alone, evidence.of(*_SHARED)), None)
    if drawn is None or drawn.place is None:
        return ""
    file, line = drawn.place
    what = printable(drawn.row.detail, 80)
    return (
        f" To keep {it}: run 1 alone drew from a generator that others may draw from afterwards "
        f"({what} at {printable(base_name(file), 80)}:{line}). Draw there from a generator of its "
        f"own ({_OWN[drawn.row.source]}), or seed the shared one again afterwards, so that both "
        f"runs go on alike."
    )


_OWN = {
    "numpy": "np.random.default_rng(seed)",
    "python": "random.Random(seed)",
    "torch-cpu": "torch.Generator().manual_seed(seed)",
}
_SHARED = tuple(_OWN)
"""Generators that everybody shares, as the ledger calls them."""


def _was_drawn_by_first_alone(entry: LedgerPair) -> bool:
    if entry.row.event != "draw" or entry.internal or entry.row.process or entry.only_second:
        return False
    if entry.row.detail.startswith(OF_AN_INSTANCE):
        return False
    return entry.row.seeded == 1 and (entry.other is None or entry.other.calls == 0)


def left_besides(first: Trace, second: Trace) -> list[str]:
    """Files that run 1 wrote and that only run 2 read, in any of their processes, sorted.

    Where another cause comes first, what was computed from them cannot be told apart from it.

    Args:
        first: Run 1.
        second: Run 2.

    Raises:
        TraceError: A run folder is damaged.
    """
    read_by_first = {row.detail for row in _read_rows(first)}
    changed_by_second = _changed_by_any(second)
    written = _changed_by_any(first)
    return sorted(
        {
            row.detail
            for row in _read_rows(second)
            if row.detail in written - read_by_first
            # Later in a training it may be what this run has written itself.
            and (row.first_step == 0 or row.detail not in changed_by_second)
        }
    )


def note_of(left: Sequence[str]) -> str:
    """What a person should know of files that run 1 left and only run 2 read."""
    names = " and ".join(printable(path, 200) for path in left[:_MOST_FILES])
    it = "it" if len(left) == 1 else "them"
    return (
        f"run 1 wrote {names}, and only run 2 read {it}: run 1 began without {it}. Begin each "
        f"run without {it}: remove {it} at the start of the script, or write {it} to a folder of "
        "the run's own"
    )


def _read_rows(run: Trace) -> Iterator[LedgerRow]:
    for trace in recorded_traces(run):
        yield from (row for row in trace.ledger() if row.source == "file")


def _changed_by_any(run: Trace) -> set[str]:
    return changed_paths(run) | {str(file["path"]) for file in run.manifest.process_files}


def went_by_itself(situation: Situation) -> Cause:
    """What is known where runs 1 and 2 diverge, later ones agree, and nothing explains it."""
    found = situation.closer
    return Cause(
        code="unknown",
        detail=found.op,
        file=found.file,
        line=found.line,
        evidence="Runs 1 and 2 diverge, but a further run, made in the same way, agrees with "
        "run 2: the difference did not recur.",
        fix="Check once more with --runs 5: it shows whether the difference comes back.",
        confidence="likely",
    )


def left_files(first: Trace, second: Trace, entries: Sequence[LedgerPair]) -> list[str]:
    """Files that run 1 wrote and that run 2 found otherwise than run 1 did, sorted.

    Args:
        first: Run 1.
        second: Run 2.
        entries: What their ledgers hold.
    """
    written = changed_paths(first)
    read = {
        entry.row.detail
        for entry in entries
        if entry.row.source == "file"
        and entry.differs
        and (entry.other is not None or entry.only_second)
    }
    # What is only added to, such as a log, decides less than what is read.
    found = written & read or written & found_paths(second)
    listed = (entry for entry in entries if entry.row.source == "listing")
    by_second = (entry for entry in listed if entry.other is not None or entry.only_second)
    if not found and any(entry.differs and not entry.reordered for entry in by_second):
        # A listing tells what was in a folder, not which: what was written has changed it.
        found = written
    return sorted(path for path in found if not Path(path).is_dir())


def _read_at(evidence: Evidence, left: list[str]) -> tuple[str, int] | None:
    def reads(entry: LedgerPair) -> bool:
        return entry.place is not None and entry.row.detail in left

    return next((entry.place for entry in evidence.of("file") if reads(entry)), None)

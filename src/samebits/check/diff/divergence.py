"""Compares two recorded runs: the first divergence, and the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from samebits.check.diff import artifacts, printed_output
from samebits.check.diff.correspondence import Correspondence, base_name, correspondence
from samebits.check.diff.evident_cause import evident_cause
from samebits.check.diff.ledger_differences import (
    differences_as_data,
    ledger_differences,
)
from samebits.check.diff.operations import OperationsComparison, compare_operations, ends_early
from samebits.check.diff.out_of_reach import out_of_reach
from samebits.check.diff.printed_text import ignored_patterns
from samebits.check.diff.process_operations import compare_process_operations
from samebits.check.diff.process_traces import traces_of
from samebits.check.diff.processes import compare_processes
from samebits.check.diff.run_summary import run_summary
from samebits.check.diff.seen import seen_before
from samebits.check.diff.threads import compared_threads, thread_divergence
from samebits.check.diff.verdict import (
    Cause,
    Divergence,
    NotCompared,
    Verdict,
    VerdictCode,
)
from samebits.check.diff.written_files import WRITTEN_BESIDE, other_orders, saved_divergence
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import OpRow
from samebits.check.trace.run_parts import lacking_ranks
from samebits.check.trace.schema import STEP_DIGESTS, STEP_KINDS
from samebits.core.names import printable


def first_divergence(
    a: Trace, b: Trace, *, digests: Sequence[str] = STEP_DIGESTS
) -> Divergence | None:
    """The first place where two runs diverge; None when they agree.

    Operations decide where both runs recorded them, in every process, with the digests of steps
    beside them; then what optimizers did on other threads; then tensors in saved files; for runs in
    which torch did nothing, printed text and other written files; what other processes of the runs
    printed and wrote; at last the exit code.

    Args:
        a: Run A.
        b: Run B.
        digests: Those of a step that count.

    Raises:
        TraceError: A run folder is damaged.
    """
    return _compare(a, b, digests=digests).divergence


def compare_traces(
    a: Trace, b: Trace, *, threads: bool = True, digests: Sequence[str] = STEP_DIGESTS
) -> Verdict:
    """The verdict on two runs: same, different or incomplete, with the evident cause.

    Whether a script failed on its own is not judged here: two runs that fail alike are the same.

    Args:
        a: Run A.
        b: Run B.
        threads: Whether what their threads computed counts.
        digests: Those of a step that count.

    Raises:
        TraceError: A run folder is damaged.
    """
    found = _compare(a, b, threads=threads, digests=digests)
    agree = found.divergence is None
    outcome: VerdictCode = "same" if agree else "different"
    left_out = tuple(found.not_compared)
    if agree and found.operations.overwritten:
        left_out = (_overwritten(found.operations.overwritten), *left_out)
    return Verdict(
        verdict="incomplete" if agree and left_out else outcome,
        runs=(run_summary(a), run_summary(b)),
        first_divergence=found.divergence,
        causes=_causes(found.divergence, a, b),
        ledger=_ledger(found, a, b),
        overwritten_draws=len(found.operations.overwritten),
        not_compared=left_out,
        ignored_output=ignored_patterns(),
        notes=tuple(found.notes),
    )


def ledger_until(divergence: Divergence, a: Trace, b: Trace) -> tuple[dict[str, object], ...]:
    """What two ledgers differ in up to where the runs diverge, as the verdict file holds it.

    Raises:
        TraceError: A ledger is damaged.
    """
    a, b = traces_of(divergence, a, b)
    return differences_as_data(ledger_differences(a, b, divergence, correspondence(a, b)))


def _ledger(found: _RunComparison, a: Trace, b: Trace) -> tuple[dict[str, object], ...]:
    divergence = found.divergence
    if divergence is not None and divergence.processes:
        return ledger_until(divergence, a, b)
    return differences_as_data(ledger_differences(a, b, divergence, found.files))


def _causes(found: Divergence | None, a: Trace, b: Trace) -> tuple[Cause, ...]:
    return () if found is None else (evident_cause(found, seen_before(found, a, b)),)


@dataclass
class _RunComparison:
    divergence: Divergence | None = None
    not_compared: list[NotCompared] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    operations: OperationsComparison = field(default_factory=OperationsComparison)
    files: Correspondence = field(default_factory=Correspondence)


def _compare(
    a: Trace, b: Trace, *, threads: bool = True, digests: Sequence[str] = STEP_DIGESTS
) -> _RunComparison:
    result = _compared(a, b, threads=threads, digests=digests)
    found, set_aside = result.divergence, result.operations.set_aside
    if found is None:
        result.notes.extend(result.operations.unaffected)
    if found is not None and set_aside is not None and result.operations.explains(found):
        # What differs beside the operations may have come of their order, or of what they read.
        result.divergence = set_aside
    elif found is None or found is not set_aside:
        result.notes.extend(_reordered(result.operations.reordered))
        result.notes.extend(_dropped(result.operations.dropped))
    return result


def _compared(a: Trace, b: Trace, *, threads: bool, digests: Sequence[str]) -> _RunComparison:
    files = correspondence(a, b)
    result = _RunComparison(files=files)
    if files.edited:
        shown = ", ".join(printable(edited.name, 160) for edited in files.edited[:5])
        result.notes.append(f"the code differs ({shown}): rows are aligned without line numbers")
    same_level = a.manifest.level == b.manifest.level
    if not same_level:
        result.notes.append(
            f"recorded at different levels ({a.manifest.level}, {b.manifest.level}): "
            "only the digests that both have were compared"
        )
    seeds = [trace.manifest.seeds.get("seed") for trace in (a, b)]
    if seeds[0] != seeds[1]:
        result.notes.append(f"recorded under different seeds: {seeds[0]} in A, {seeds[1]} in B")
    open_ends = (ends_early(a), ends_early(b))
    if a.ranks != b.ranks:
        result.notes.append(f"run A has {len(a.ranks)} ranks, run B {len(b.ranks)}")

    result.not_compared += _missing_ranks(a, b)
    result.not_compared += dict.fromkeys(out_of_reach(a, b))
    result.operations = compare_operations(a, b, files, digests)
    found = result.operations.divergence
    processes = compare_process_operations(
        a, b, found, result.operations.entered, lines=not files.edited, threads=threads
    )
    result.divergence = processes.divergence or found
    if result.divergence is not None:
        result.notes += _open_ends(a, b, open_ends)
        result.notes += processes.independent
        return result
    result.not_compared += _beyond_open_ends(a, b, open_ends)
    result.operations.overwritten += processes.overwritten
    result.not_compared += processes.not_compared
    result.notes += processes.notes

    silent = not (_has_rows(a) or _has_rows(b))
    if any(open_ends):
        if silent:
            result.notes.append("neither run recorded an operation: only printed text was compared")
            result.divergence = printed_output.printed_divergence(a, b, open_ends=True)
        return result
    result.divergence = thread_divergence(a, b)
    if result.divergence is None:
        result.notes.extend(compared_threads(a))
        result.divergence = saved_divergence(a, b, "tensors")
    if result.divergence is None and silent:
        result.divergence = (
            printed_output.printed_divergence(a, b)
            or printed_output.unlogged_divergence(a, b)
            or _first(saved_divergence(a, b, kind) for kind in WRITTEN_BESIDE)
        )
    if result.divergence is None:
        others = compare_processes(a, b, lines=not files.edited)
        result.divergence = others.divergence or artifacts.exit_divergence(a, b)
        result.not_compared += others.not_compared
    if result.divergence is None and not silent:
        result.notes.extend(artifacts.notes_beside(a, b))
    if result.divergence is None:
        result.notes.extend(other_orders(a, b))
    return result


def _reordered(rows: Sequence[OpRow]) -> Iterator[str]:
    """A note on operations that came in another order, with the lines where they begin."""
    if rows:
        where = _places(rows, " at ")
        yield f"operations{where} came in a different order, and each gave the same bits"


def _dropped(rows: Sequence[OpRow]) -> Iterator[str]:
    """A note on unwritten memory that was read, with the lines where it was."""
    if rows:
        where = _places(rows, " at ")
        yield (
            f"memory that nothing had written was read{where}: the bytes differed, and were "
            "dropped before anything was computed with them"
        )


def _places(rows: Sequence[OpRow], before: str) -> str:
    """The first three lines that the rows come from, after a word; "" where none is known."""
    places = dict.fromkeys(
        f"{printable(base_name(row.site.file), 80)}:{row.site.line}" for row in rows if row.site
    )
    more = f" and {len(places) - 3} more lines" if len(places) > 3 else ""
    return f"{before}{', '.join(list(places)[:3])}{more}" if places else ""


def _overwritten(rows: Sequence[OpRow]) -> NotCompared:
    """Random numbers of which no recorded operation shows a trace: where they were drawn."""
    return NotCompared(
        "draw",
        f"random numbers{_places(rows, ' drawn at ')}",
        "they differ in each run. Recorded operations later overwrite tensors of these shapes, or "
        "what was computed with the numbers, and all agrees after that. A read in between by "
        "NumPy, pickle, a thread or an unrecorded operation would go unnoticed. A seed at the "
        "start of the script, or of each task that a pool runs, removes the doubt",
    )


def _open_ends(a: Trace, b: Trace, open_ends: tuple[bool, bool]) -> Iterator[str]:
    """Notes on runs that end before the script does, where they differ before that."""
    for name, trace, is_open in zip("AB", (a, b), open_ends, strict=True):
        if trace.cut:
            yield (
                f"run {name} was cut (killed, or still running): compared up to its last flush, "
                f"operation {trace.count_ops()}"
            )
        elif is_open and not all(open_ends):
            yield f"run {name} was stopped early: compared up to there"


def _beyond_open_ends(a: Trace, b: Trace, open_ends: tuple[bool, bool]) -> Iterator[NotCompared]:
    """What runs that agree have not been compared in, because one of them ends too soon."""
    for name, trace, is_open in zip("AB", (a, b), open_ends, strict=True):
        what = f"run {name} after {_reach(trace)}"
        if trace.cut:
            yield NotCompared("process", what, "it was killed or still runs: its record ends there")
        elif is_open and not all(open_ends):
            yield NotCompared("process", what, "it was stopped there, and the other run goes on")


def _reach(trace: Trace) -> str:
    """How far a run was recorded: "step 3 (operation 120)"."""
    steps, rows = trace.count_steps(), trace.count_ops()
    operation = f"operation {rows:,}"
    return f"step {steps - 1:,} ({operation})" if steps else operation


def _missing_ranks(a: Trace, b: Trace) -> Iterator[NotCompared]:
    """Ranks of runs collected from several machines that were in none of the parts."""
    for name, trace in (("A", a), ("B", b)):
        for rank in lacking_ranks(trace):
            yield NotCompared("process", f"rank {rank}", f"no part of run {name} holds it")


def _has_rows(trace: Trace) -> bool:
    """Whether any operation or step was recorded."""
    if any(trace.count_ops(rank) for rank in trace.ranks):
        return True
    steps = [trace.steps(rank) for rank in trace.ranks]
    return any(bool(rows[name].any()) for rows in steps for name in STEP_DIGESTS) or any(
        bool((rows["kind"] == STEP_KINDS.index("step")).any()) for rows in steps
    )


def _first(found: Iterable[Divergence | None]) -> Divergence | None:
    return next((one for one in found if one is not None), None)

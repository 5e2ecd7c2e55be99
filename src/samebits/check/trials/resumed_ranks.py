"""The proof of a resume where ranks take the steps, which the script only starts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from samebits.check.diff.process_files import compare_files
from samebits.check.diff.processes import unrecorded_processes
from samebits.check.diff.resume_cause import began_anew, resume_cause, saved_cause
from samebits.check.diff.run_summary import run_summary
from samebits.check.diff.steps import first_step_divergence
from samebits.check.diff.verdict import Cause, Divergence, RunSummary, Verdict
from samebits.check.record.run import RunResult
from samebits.check.trace.reader import Trace
from samebits.check.trials.resumed_steps import first_common_step, first_difference

_SIGKILL = 9
_NOT_PRINTED = "what the ranks print is not compared: the resumed run prints a part of it"


def was_killed(result: RunResult, rank: int | None) -> bool:
    """Whether a run was killed as it was asked for.

    Args:
        result: How it ended.
        rank: The rank that was to be killed alone; None for all of its processes.
    """
    if rank is None:
        return result.signal == _SIGKILL
    return result.signal == _SIGKILL or any(
        process["rank"] == str(rank) and process["exit"]["signal"] == _SIGKILL
        for process in Trace.open(result.folder).manifest.processes
    )


def most_steps(trace: Trace) -> int:
    """The optimizer steps of the script's own process, or of the rank that has taken most."""
    summary = run_summary(trace)
    return summary.steps or max((one.steps for one in summary.processes), default=0)


def compare_resumed_ranks(
    traces: Sequence[Trace], runs: tuple[RunSummary, ...], kill_at_step: int, notes: Sequence[str]
) -> Verdict:
    """The verdict on a straight, a killed and a resumed run, rank by rank.

    Args:
        traces: The three runs.
        runs: What the verdict says of them.
        kill_at_step: The steps after which the second one was killed.
        notes: What is known so far.
    """
    straight, _, resumed = traces
    begins: dict[str, int] = {}
    for rank, mine, killed, later in _ranks(traces):
        diverged = killed and first_step_divergence(
            mine, killed, same_level=True, open_ends=(False, True)
        )
        if diverged:
            detail = f"{diverged.detail}; nothing had been killed yet"
            found = replace(diverged, detail=detail, process=rank)
            note = "two straight runs of this script differ already: run `samebits check` on it"
            return Verdict(
                verdict="different", runs=runs, first_divergence=found, notes=(*notes, note)
            )
        begin = begins[rank] = first_common_step(mine, later, kill_at_step)
        divergence = first_difference(mine, later, begin)
        if divergence is not None:
            cause = resume_cause(divergence, mine, later, begin, ({}, {}))
            note = f"killed at step {kill_at_step}, {rank} resumed at step {begin}"
            return _different(runs, divergence, cause, (note, *notes), rank)
        if begin == 0:
            found, cause = began_anew(later, run_summary(later).steps)
            return _different(runs, found, cause, notes, rank)
    names = {process["name"]: process for process in straight.manifest.processes}
    divergence, unknown = compare_files(straight, resumed, names)
    if divergence is not None:
        return _different(runs, divergence, saved_cause(divergence), notes, divergence.process)
    compared = {f"rank {process['rank']}" for process in names.values() if process["rank"]}
    left_out = [
        one
        for one in unrecorded_processes(straight, resumed)
        if not any(one.name.endswith(f", {rank})") for rank in compared & set(begins))
    ]
    agree = ", ".join(f"{rank} at step {begin}" for rank, begin in begins.items())
    told = f"killed at step {kill_at_step}, resumed {agree}: all steps from there to the end agree"
    return Verdict(
        verdict="incomplete" if left_out else "same",
        runs=runs,
        not_compared=tuple(left_out),
        # Bytes beside tensors say in which order objects were made: a resumed run has read some.
        notes=(told, *notes, *(f"{one.name}: {one.why}" for one in unknown), _NOT_PRINTED),
    )


def _ranks(traces: Sequence[Trace]) -> Iterator[tuple[str, Trace, Trace | None, Trace]]:
    """Each rank that the straight and the resumed run have recorded."""
    found = [
        {p["rank"]: p["name"] for p in trace.manifest.processes if p["rank"] and p["recorded"]}
        for trace in traces
    ]
    for rank in sorted(found[0], key=int):
        mine, killed, later = (
            trace.process(names[rank]) if rank in names else None
            for trace, names in zip(traces, found, strict=True)
        )
        if mine is not None and later is not None:
            yield f"rank {rank}", mine, killed, later


def _different(
    runs: tuple[RunSummary, ...],
    divergence: Divergence,
    cause: Cause,
    notes: Sequence[str],
    process: str,
) -> Verdict:
    return Verdict(
        verdict="different",
        runs=runs,
        first_divergence=replace(divergence, process=process),
        causes=(replace(cause, process=process),),
        notes=tuple(notes),
    )

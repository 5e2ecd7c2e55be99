"""What a verdict says about one run, and about each process and thread that computed in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from samebits.check.diff.all_processes import rank_first
from samebits.check.diff.process_groups import process_groups
from samebits.check.diff.process_names import label_in_group, name_in_group
from samebits.check.diff.verdict import ProcessSummary, RunSummary
from samebits.check.trace.reader import Trace
from samebits.check.trace.run_parts import own_rank


def run_summary(trace: Trace) -> RunSummary:
    """What a verdict says about one run."""
    manifest = trace.manifest
    return RunSummary(
        folder=trace.place,
        steps=steps_of(trace),
        ops=max(trace.count_ops(), manifest.counts["ops"]),
        exit_code=_exit_code(manifest.exit),
        seconds=float(manifest.seconds),
        level=manifest.level,
        complete=not trace.cut,
        rank=_own_rank(trace),
        processes=tuple(sorted(_processes(trace), key=lambda one: rank_first(one.name))),
    )


def process_notes(trace: Trace) -> Iterator[str]:
    """What a person should know of the processes of a run, such as threads that they started."""
    for group in process_groups(trace, lines=True).values():
        for process in group:
            own = trace.process(process["name"])
            for note in own.manifest.notes if own is not None else ():
                yield f"{name_in_group(process, group)}: {note}"


def _processes(trace: Trace) -> Iterator[ProcessSummary]:
    for group in process_groups(trace, lines=True).values():
        for process in group:
            own = trace.process(process["name"])
            if own is not None:
                yield ProcessSummary(
                    name=name_in_group(process, group),
                    label=label_in_group(process, group),
                    folder=own.place,
                    steps=max(steps_of(own), process["steps"]),
                    ops=max(own.count_ops(), own.manifest.counts["ops"], process["rows"]),
                    exit_code=_exit_code(process["exit"]),
                    seconds=float(own.manifest.seconds),
                    complete=not own.cut,
                    is_thread=process["kind"] == "thread",
                )


def _own_rank(trace: Trace) -> int | None:
    told = own_rank(trace)
    return told[0] if told is not None and told[1] > 1 else None


def steps_of(trace: Trace) -> int:
    """How many optimizer steps a run made."""
    return max(trace.count_steps(), int(trace.manifest.counts["steps"]))


def _exit_code(found: Any) -> int | None:
    code: int | None = found["code"]
    signal: int | None = found["signal"]
    return -signal if code is None and signal is not None else code

"""What is said of a run that is watched: every text is ready to print."""

from __future__ import annotations

import math
from collections.abc import Sequence

from samebits.check.report.printable import printable_name
from samebits.check.report.run_rows import exit_text
from samebits.check.report.source import place_text, short_path
from samebits.check.report.watch.pace import pace_of_timeline
from samebits.check.report.watch.progress import WatchedProcess, WatchedStep
from samebits.check.report.watch.watched_run import WatchedRun

_COLUMNS = ("step", "loss", "operations", "draws", "parameters", "generators")
_COMPARED_COLUMNS = ("step", "agreement", "loss", "what differs", *_COLUMNS[2:])
DRAW_COLUMNS = ("calls", "drawn by", "where", "module")

_QUIET_SECONDS = 10.0
"""After so long a silence it is said."""

_MOST_DRAWS = 100


def facts(run: WatchedRun, process: WatchedProcess, now: float) -> tuple[str, ...]:
    """The sentences above the tables.

    Args:
        run: The run.
        process: Its process that is looked at.
        now: As `time.time`.
    """
    lines = [_state(process, now), _counts(process), _last(process), _agreement(run, process)]
    lines.insert(0, f"{_name(run, process)}, {_level(process)}")
    lines += [sentence for sentence in (process.trouble, run.trouble) if sentence]
    return tuple(line for line in lines if line)


def step_columns(*, compared: bool) -> tuple[str, ...]:
    """What the table of steps tells.

    Args:
        compared: Whether the run is held against another one.
    """
    return _COMPARED_COLUMNS if compared else _COLUMNS


def step_cells(step: WatchedStep, *, compared: bool) -> tuple[str, ...]:
    """A step as a row below `step_columns`."""
    return (
        f"{step.number:,}",
        *((_agrees(step),) if compared else ()),
        "-" if math.isnan(step.loss) else f"{step.loss:.6g}",
        *((", ".join(step.differing),) if compared else ()),
        f"{step.ops:,}",
        f"{step.draws:,}",
        _fingerprint(step.digests["parameters"]),
        _fingerprint(step.digests["generators"]),
    )


def draw_rows(process: WatchedProcess) -> list[tuple[str, ...]]:
    """Who drew random numbers, the most frequent first, as rows below `DRAW_COLUMNS`.

    While the run goes on these are torch's operations that draw; at the end, when its ledger is
    written, all sources.
    """
    # What libraries do while they are imported is left out, as by samebits ledger.
    drawn = [
        row
        for row in process.ledger
        if row.event == "draw" and not row.detail.startswith("import ")
    ]
    if drawn:
        drawn.sort(key=lambda row: -row.calls)
        return [
            (
                f"{row.calls:,}",
                printable_name(f"{row.source} {row.detail}", 60),
                "" if row.site is None else place_text(row.site.file, row.site.line),
                "",
            )
            for row in drawn[:_MOST_DRAWS]
        ]
    return [
        (
            f"{calls:,}",
            printable_name(op, 60),
            place_text(file, line) if file else "",
            printable_name(module, 60),
        )
        for (op, file, line, module), calls in process.places.most_common(_MOST_DRAWS)
    ]


def pace(process: WatchedProcess) -> Sequence[float]:
    """Operations a second over time: of a finished run all of it, else since it is watched."""
    manifest = process.growing.manifest
    if process.is_finished and manifest is not None:
        return pace_of_timeline(manifest.extra.get("timeline"))
    return process.pace.curve()


def _name(run: WatchedRun, process: WatchedProcess) -> str:
    name = short_path(str(run.folder))
    count = len(run.processes) + run.further
    if count == 1:
        return name
    which = printable_name(process.name) if process.name else "the script's own"
    number = run.processes.index(process) + 1
    return f"{name}, process {number} of {count:,} ({which})"


def _level(process: WatchedProcess) -> str:
    manifest = process.growing.manifest
    if manifest is None:
        return "nothing recorded yet: recording begins when the script imports torch"
    words = manifest.script.get("path", "") or " ".join(map(str, manifest.command))
    return f"{short_path(str(words))} at level {manifest.level}"


def _state(process: WatchedProcess, now: float) -> str:
    manifest = process.growing.manifest
    if manifest is None:
        return ""
    if process.growing.is_behind:
        return "reading what has been recorded so far"
    if manifest.complete:
        code, signal = manifest.exit["code"], manifest.exit["signal"]
        code = -signal if code is None and signal is not None else code
        ended = {"stopped-at-step": "stopped after a step", "exception": "ended by an exception"}
        how = ended.get(manifest.exit["reason"], "finished")
        told = f", exit {exit_text(code)}" if code is not None else ""
        return f"{how} after {manifest.seconds:.1f} s{told}"
    silent = process.growing.age(now)
    if silent < _QUIET_SECONDS:
        return "under way"
    silence = f"nothing was recorded for {_duration(silent)}"
    return f"not ended, and {silence}: it computes, waits, or was killed"


def _counts(process: WatchedProcess) -> str:
    text = ", ".join(
        (
            _counted(process.step_count, "step"),
            _counted(process.ops, "operation"),
            _counted(process.draws, "draw"),
        )
    )
    manifest = process.growing.manifest
    rates = process.pace.rates()
    if process.is_finished and manifest is not None and manifest.seconds > 0:
        rates = process.step_count / manifest.seconds, process.ops / manifest.seconds
    if rates is None:
        return text
    return f"{text}; {rates[1]:,.0f} operations and {rates[0]:,.3g} steps a second"


def _last(process: WatchedProcess) -> str:
    last = process.last
    if last is None:
        return ""
    text = f"last: {printable_name(last.op, 80)}, {last.phase}"
    if last.site is not None:
        if last.site.module:
            text += f", module {printable_name(last.site.module, 80)}"
        text += f", {place_text(last.site.file, last.site.line)}"
    return f"{text}, fingerprint {_fingerprint(last.outputs)}"


def _agreement(run: WatchedRun, process: WatchedProcess) -> str:
    if run.against is None:
        return ""
    other = short_path(str(run.against))
    if process.name:
        return "steps of other processes are compared at the end, by samebits diff"
    found = process.first_difference
    if found is not None:
        return (
            f"step {found.number:,} is the first that differs from {other}: {_and(found.differing)}"
        )
    if not process.compared:
        return f"no step has been compared with {other} yet"
    return f"the same as {other} in {process.compared:,} steps"


def _agrees(step: WatchedStep) -> str:
    if not step.compared:
        return "-"
    return "differs" if step.differing else "same"


def _and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _fingerprint(digest: int) -> str:
    return f"{digest:016x}" if digest else "-"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' if count != 1 else ''}"


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"

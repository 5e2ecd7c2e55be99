"""How the runs of a check ended, and what a person should know of those that did not end well."""

from __future__ import annotations

import re
from collections.abc import Sequence

from samebits.check.diff.process_failures import of_failures
from samebits.check.record.run import RunResult
from samebits.check.trace.reader import Trace

_MOST_LINES = 8
_TRACEBACK = "Traceback (most recent call last)"
_OF_A_TRACEBACK = re.compile(r"\s")
_ENDED_BY_SIGNAL = re.compile(r"torch\.distributed\.elastic\.\S*SignalException: ")
_OF_THE_LAUNCHER = re.compile(
    r"Setting OMP_NUM_THREADS environment variable|^[^*]*\*{20,}$|^W\d{4} .*\] *$|"
    r"Received \d+ death signal, shutting down workers|Sending process \d+ closing signal SIGTERM"
)
"""What torchrun says of threads, and of ending its ranks because it was told to end."""


def has_failed(result: RunResult) -> bool:
    """Whether the script failed, or the timeout ended it."""
    return result.timed_out or result.exit_code != 0


def ended_alike(results: Sequence[RunResult]) -> bool:
    """Whether every run ended in the same way, or each failed and the timeout ended one of them.

    How a run that fails ends if it is given more time is not known.
    """
    if all(map(has_failed, results)) and any(result.timed_out for result in results):
        return True
    return len({result.end for result in results}) == 1


def notes_of_processes(results: Sequence[RunResult]) -> list[str]:
    """Which process failed first, and what others waited for, where one did not end well."""
    return of_failures([Trace.open(result.folder) for result in results])


def notes_of_endings(results: Sequence[RunResult]) -> list[str]:
    """What a person should know of runs that did not end well."""
    notes = []
    for number, result in enumerate(results, start=1):
        if not has_failed(result):
            continue
        if result.timed_out:
            notes.append(f"run {number} was ended by the timeout after {result.seconds:.1f} s")
        elif result.signal is not None:
            notes.append(f"run {number} was ended by signal {result.signal}")
        else:
            notes.append(f"run {number}: the script ended with exit code {result.exit_code}")
        notes += _last_words(result.stderr_tail)[-_MOST_LINES:]
    return notes


def _last_words(text: str) -> list[str]:
    """Lines of an error output, without what torchrun says of itself.

    That it was told to end is no error: it is how the timeout, or a person, ends it.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if lines and _ENDED_BY_SIGNAL.match(lines[-1]):
        begins = [n for n, line in enumerate(lines) if line.startswith(_TRACEBACK)]
        lines = lines[: begins[-1]] if begins else lines[:-1]
        if not begins:  # the head of the traceback is beyond what was kept
            while lines and _OF_A_TRACEBACK.match(lines[-1]):
                lines.pop()
    return [line for line in lines if not _OF_THE_LAUNCHER.search(line)]

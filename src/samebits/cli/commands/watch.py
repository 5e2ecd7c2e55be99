"""`samebits watch`: a run in a terminal, while it runs or afterwards."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Annotated

import typer

from samebits.errors import UsageError


def watch(
    run: Annotated[
        Path,
        typer.Argument(
            metavar="RUN", show_default=False, help="A run folder, also of a run that is under way."
        ),
    ],
    against: Annotated[
        Path | None,
        typer.Option(
            metavar="RUN",
            show_default=False,
            help="Compare each step with this recorded run; the one that samebits run --against "
            "names unless given.",
        ),
    ] = None,
) -> None:
    """Watch a run in the terminal: steps, fingerprints, random draws, agreement, pace.

    The run may be under way in another terminal, or finished. Nothing is written, and the run is
    not disturbed. Steps appear as they reach the disk, about once a second.

    Keys: q quits, n shows the next process, f follows the last step or stays, r looks at once.

    Exit code: 0 left, 2 wrong usage, or a folder that is none.
    """
    from samebits.cli.folders import require_local

    for place in (run, against or ""):
        require_local(place, "a run is watched where it is recorded")
    if not run.is_dir():
        raise UsageError(
            f"{run} is no folder", hint="Give the folder of a run; samebits runs lists them."
        )
    if importlib.util.find_spec("textual") is None:
        raise UsageError(
            "samebits watch needs Textual, which is not installed",
            hint="pip install 'samebits[watch]', or pip install textual.",
        )
    if not is_terminal():
        raise UsageError(
            "samebits watch needs a terminal", hint="samebits runs show RUN prints a run's facts."
        )
    from samebits.check.report.watch.app import WatchApp
    from samebits.check.report.watch.watched_run import WatchedRun

    WatchApp(WatchedRun(run, against)).run()


def is_terminal() -> bool:
    """Whether there is a terminal to draw on, with a keyboard."""
    return sys.stdin.isatty() and sys.stdout.isatty()

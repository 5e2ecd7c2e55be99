"""How far a run is, on standard error: live on a terminal, a line a run in a log."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Protocol

from samebits.check.report.output_stream import write_text

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

    from samebits.check.record.run import Progress

OnProgress = Callable[[str, "Progress"], None]


class Shown(Protocol):
    """What shows how far runs are."""

    def __call__(self, label: str, progress: Progress) -> None:
        """Show the progress of one run."""

    def say(self, text: str) -> None:
        """Show a sentence that stays."""


@contextlib.contextmanager
def show_progress(*, quiet: bool) -> Iterator[Shown | None]:
    """Show how far runs are while the block lasts.

    Args:
        quiet: Show nothing.

    Yields:
        What to call with a run's label and progress; None when nothing is shown.
    """
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _live_bars() as bars:
            yield _BarPerRun(bars)
    else:
        yield _LinePerRun()


class _LinePerRun:
    """Says which run has begun, once each."""

    def __init__(self) -> None:
        self.announced: set[str] = set()
        self.lock = threading.Lock()  # two runs may go on at once

    def __call__(self, label: str, progress: Progress) -> None:
        with self.lock:
            if label not in self.announced:
                self.announced.add(label)
                self.say(label)

    def say(self, text: str) -> None:
        write_text(f"samebits: {text}\n", sys.stderr)


class _BarPerRun:
    """Keeps one live line a run: steps, operations, elapsed time.

    The clock of a line stops when another run begins; of two at once both counts go on.
    """

    def __init__(self, bars: Bars) -> None:
        self.bars = bars
        self.rows: dict[str, object] = {}
        self.lock = threading.Lock()

    def __call__(self, label: str, progress: Progress) -> None:
        with self.lock:
            self._show(label, progress)

    def say(self, text: str) -> None:
        self.bars.console.print(text, markup=False, highlight=False)

    def _show(self, label: str, progress: Progress) -> None:
        if label not in self.rows:
            for row in self.rows.values():
                self.bars.stop_task(row)  # type: ignore[arg-type]
            self.rows[label] = self.bars.add_task(label, steps=0, ops=0)
        self.bars.update(self.rows[label], steps=progress.steps, ops=progress.ops)  # type: ignore[arg-type]


def _live_bars() -> Bars:
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        TextColumn("{task.fields[steps]:,} steps", markup=False),
        TextColumn("{task.fields[ops]:,} operations", markup=False),
        TimeElapsedColumn(),
        console=Console(stderr=True, highlight=False),
        transient=True,
    )

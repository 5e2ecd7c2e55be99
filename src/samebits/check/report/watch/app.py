"""The terminal view of a run, by Textual: it shows what `view` says, and looks again by a timer."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.widgets import DataTable, Footer, Sparkline, Static

from samebits.check.report.watch import view
from samebits.check.report.watch.watched_run import WatchedRun

LOOK_SECONDS = 0.5

_CATCHING_UP_SECONDS = 0.01
"""Where a long run is read from its beginning: between two looks keys are heard."""

_DRAWN_SECONDS = 0.1
"""After so long a table has been drawn."""

_SHOWN_STEPS = 200
"""Rows of the table: a terminal shows fewer, and drawing them takes time."""


class WatchApp(App[None]):
    """Shows a run until it is left.

    Args:
        run: The run.
        every: Seconds between two looks; None for none, so that only `look` looks.
        clock: Seconds that never go back, for the pace.
        today: Seconds as `time.time`, for the age of a file.
    """

    TITLE = "samebits watch"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #facts { height: auto; max-height: 40%; padding: 0 1; }
    #pace { height: 1; margin: 0 1; }
    .title { height: 1; padding: 0 1; text-style: bold; }
    #steps { height: 2fr; min-height: 4; }
    #draws { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        ("q", "quit", "Quit"),
        ("r", "look", "Look"),
        ("n", "next_process", "Process"),
        ("f", "follow", "Follow"),
    ]

    def __init__(
        self,
        run: WatchedRun,
        *,
        every: float | None = LOOK_SECONDS,
        clock: Callable[[], float] = time.monotonic,
        today: Callable[[], float] = time.time,
    ) -> None:
        super().__init__()
        self._run = run
        self._every = every
        self._clock = clock
        self._today = today
        self._chosen: int | None = None
        self._rows: dict[str, list[tuple[str, ...]]] = {}
        self._columns: tuple[str, ...] = ()

    def compose(self) -> ComposeResult:
        """The parts, from top to bottom."""
        with VerticalScroll(id="facts", can_focus=False):
            yield Static(id="said", markup=False)
        yield Static("Operations a second", classes="title pace", markup=False)
        yield Sparkline(id="pace", classes="pace")
        yield Static("Steps", classes="title", markup=False)
        yield DataTable(id="steps", cursor_type="row")
        yield Static("Random numbers drawn", classes="title", markup=False)
        yield DataTable(id="draws", cursor_type="row")
        yield Footer()

    def on_mount(self) -> None:
        """Look for the first time."""
        self.query_one("#draws", DataTable).add_columns(*view.DRAW_COLUMNS)
        self.query_one("#steps", DataTable).focus()
        self.look()

    def look(self) -> None:
        """Read what has come, show it, and look again in a while."""
        self._run.look(self._clock())
        self.show()
        if self._every is not None:
            self.set_timer(_CATCHING_UP_SECONDS if self._run.is_behind else self._every, self.look)

    def show(self) -> None:
        """Show what is known."""
        process = self._run.processes[self._shown()]
        lines = view.facts(self._run, process, self._today())
        self.query_one("#said", Static).update(Text("\n".join(lines)))
        curve = view.pace(process)
        self.query(".pace").set(display=len(curve) > 1)
        self.query_one("#pace", Sparkline).data = list(curve)
        steps = list(process.steps)[-_SHOWN_STEPS:]
        compared = self._run.against is not None  # known once the manifest is there
        self._head(view.step_columns(compared=compared))
        rows = [view.step_cells(step, compared=compared) for step in steps]
        self._fill("#steps", rows, follows=True)
        self._fill("#draws", view.draw_rows(process), follows=False)

    def action_look(self) -> None:
        """Look now."""
        self._run.look(self._clock())
        self.show()

    def action_next_process(self) -> None:
        """Show the next process."""
        self._chosen = (self._shown() + 1) % len(self._run.processes)
        self.show()

    def action_follow(self) -> None:
        """Go to the last step, and stay with the last one from there on."""
        table = self.query_one("#steps", DataTable)
        table.move_cursor(row=table.row_count - 1)

    def _shown(self) -> int:
        """The process that was chosen; else the first that computes: a launcher does not."""
        if self._chosen is not None:
            return self._chosen
        computes = (n for n, process in enumerate(self._run.processes) if process.ops)
        return next(computes, 0)

    def _head(self, columns: tuple[str, ...]) -> None:
        """Give the table of steps its columns."""
        if columns != self._columns:
            self._columns = columns
            self._rows.pop("#steps", None)
            table = self.query_one("#steps", DataTable)
            table.clear(columns=True)
            table.add_columns(*columns)

    def _fill(self, name: str, rows: list[tuple[str, ...]], *, follows: bool) -> None:
        """Put rows into a table; a cursor on the last row stays on the last one, if it follows.

        Elsewhere it stays on its step: the first rows go when there are too many.
        """
        before = self._rows.get(name, [])
        if rows == before:
            return
        self._rows[name] = rows
        table = self.query_one(name, DataTable)
        cursor = table.cursor_row
        gone = _gone(before, rows)
        if follows and cursor >= len(before) - 1:
            cursor = len(rows) - 1
        elif follows:
            cursor -= gone
        kept = before[gone:]
        if not kept or rows[: len(kept)] != kept:
            gone, kept = 0, []
            table.clear()
        for _ in range(gone):
            table.remove_row(next(iter(table.rows)))
        for row in rows[len(kept) :]:
            table.add_row(*map(Text, row))
        cursor = max(min(cursor, len(rows) - 1), 0)
        table.move_cursor(row=cursor)
        # The table learns its size while it is drawn, and may not scroll so far before.
        table.set_timer(_DRAWN_SECONDS, lambda: table.move_cursor(row=table.cursor_row))


def _gone(before: list[tuple[str, ...]], rows: list[tuple[str, ...]]) -> int:
    """How many of the first rows are no longer there."""
    first = rows[0][0] if rows else ""
    return next((at for at, row in enumerate(before) if row[0] == first), len(before))

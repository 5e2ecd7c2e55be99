"""How far a process is, put together from its rows as they come."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from samebits.check.report.watch.pace import RecordingPace
from samebits.check.trace.growing_process import GrowingProcess, StepRows
from samebits.check.trace.reader import Trace
from samebits.check.trace.recorded_steps import RecordedSteps
from samebits.check.trace.rows import Column, LedgerRow, OpsBatch, Site
from samebits.check.trace.schema import NO_SITE, STEP_DIGESTS, Flag
from samebits.core.names import printable
from samebits.errors import TraceError

_MOST_STEPS = 1000
"""Steps that are kept to be shown, the last ones."""

_MOST_BATCHES = 16
"""Batches of up to 65,536 rows that one look reads: a tenth of a second, so that keys work."""

_MOST_PLACES = 10_000
"""Lines that draw; what comes after them is counted in all."""


@dataclass(frozen=True, kw_only=True)
class WatchedStep:
    """A step that has ended.

    Attributes:
        number: From 0.
        loss: Its value; NaN where none is known.
        ops: Operations that were recorded of it.
        draws: How many of them draw random numbers.
        digests: Digest → 64 bits; 0 where there is none.
        differing: The digests that are not those of the other run.
        compared: Whether there was such a step to compare it with.
    """

    number: int
    loss: float
    ops: int
    draws: int
    digests: dict[str, int]
    differing: tuple[str, ...]
    compared: bool


@dataclass(frozen=True, kw_only=True)
class LastOperation:
    """The operation that was recorded last; `site` is None where no line is known."""

    op: str
    phase: str
    outputs: int
    site: Site | None


class WatchedProcess:
    """What is known of a process so far.

    Args:
        folder: Its folder.
        name: What it is called; "" for the script's own.

    Attributes:
        growing: Its folder, as it grows.
        name: The same.
        steps: The last steps that have ended.
        step_count: How many have ended.
        ops: Operations recorded.
        draws: How many of them drew random numbers.
        places: (operation, file, line, module) → how often it drew there.
        last: The last operation.
        first_difference: The first step that differs from the other run.
        compared: Steps that were compared.
        pace: How fast it is.
        ledger: Everything that it drew, once that is known: at the end.
        trouble: Why the folder cannot be read any further, "" while it can.
    """

    def __init__(self, folder: Path, name: str = "") -> None:
        self.growing = GrowingProcess(folder)
        self.name = name
        self.steps: deque[WatchedStep] = deque(maxlen=_MOST_STEPS)
        self.step_count = 0
        self.ops = 0
        self.draws = 0
        self.places: Counter[tuple[str, str, int, str]] = Counter()
        self.last: LastOperation | None = None
        self.first_difference: WatchedStep | None = None
        self.compared = 0
        self.pace = RecordingPace()
        self.ledger: Sequence[LedgerRow] = ()
        self.trouble = ""
        self._drawing: Column = np.empty(0, np.int64)  # rows of the step that goes on
        self._ops_before = 0

    @property
    def is_finished(self) -> bool:
        """Whether the run has ended and all of it is read."""
        manifest = self.growing.manifest
        return manifest is not None and manifest.complete and not self.growing.is_behind

    def look(self, now: float, other: RecordedSteps | None) -> None:
        """Read what has come, up to a limit.

        Args:
            now: Seconds of a clock that never goes back.
            other: The steps of the run to compare with.
        """
        if self.trouble:
            return
        try:
            for rows in self.growing.new(_MOST_BATCHES):
                if isinstance(rows, OpsBatch):
                    self._operations(rows)
                else:
                    self._steps(rows, other)
            if self.is_finished and self.growing.has_ledger and not self.ledger:
                self.ledger = Trace.open(self.growing.folder).ledger()
        except TraceError as error:
            self.trouble = printable(error.message)
        if not self.growing.is_behind:  # what is caught up with says nothing of the run's pace
            self.pace.look(now, self.step_count, self.ops)

    def _operations(self, rows: OpsBatch) -> None:
        columns, sites = rows.columns, self.growing.sites
        self.ops += len(rows)
        drawing = np.flatnonzero(columns["flags"] & Flag.RANDOM)
        self.draws += len(drawing)
        codes = np.stack([columns["op"][drawing], columns["site"][drawing]]).astype(np.int64)
        found, counts = np.unique(codes, axis=1, return_counts=True)
        for (op, at), count in zip(found.T.tolist(), counts.tolist(), strict=True):
            site = Site("", 0, "", "") if at == NO_SITE else sites[at]
            place = (rows.names["op"][op], site.file, site.line, site.module)
            if place in self.places or len(self.places) < _MOST_PLACES:
                self.places[place] += count
        last = {name: values[-1].item() for name, values in columns.items()}
        self.last = LastOperation(
            op=rows.names["op"][last["op"]],
            phase=rows.names["phase"][last["phase"]],
            outputs=last["outputs"],
            site=None if last["site"] == NO_SITE else sites[last["site"]],
        )
        self._drawing = np.concatenate([self._drawing, rows.start + drawing])

    def _steps(self, rows: StepRows, other: RecordedSteps | None) -> None:
        for row in rows:
            if row["kind"] != "step":
                continue
            step = self._step(row, other)
            self.step_count += 1
            self.steps.append(step)
            self.compared += step.compared
            if step.differing and self.first_difference is None:
                self.first_difference = step

    def _step(self, row: Mapping[str, Any], other: RecordedSteps | None) -> WatchedStep:
        end = int(row["ops_end"])
        draws = int(np.searchsorted(self._drawing, end))
        self._drawing = self._drawing[draws:]
        before, self._ops_before = self._ops_before, end
        return WatchedStep(
            number=row["step"],
            loss=row["loss_value"],
            ops=max(end - before, 0),
            draws=draws,
            digests={name: row[name] for name in STEP_DIGESTS},
            differing=() if other is None else tuple(other.differing(row)),
            compared=other is not None and row["step"] < len(other),
        )

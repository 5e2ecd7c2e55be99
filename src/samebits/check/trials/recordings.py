"""Recorded runs of one script, made once: a run that is there already is taken as it is."""

from __future__ import annotations

import contextlib
import os
import threading
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from samebits.check.record.launcher import run_script
from samebits.check.record.plan import RunPlan
from samebits.check.record.run import Progress, RunResult, Target
from samebits.check.trials import reuse
from samebits.errors import RecordError, TraceError

OnProgress = Callable[[str, Progress], None]


@dataclass(frozen=True, kw_only=True)
class RunRequest:
    """A run that is asked for.

    Attributes:
        label: What it is called while it runs: "run 1 of 2".
        name: What its folder is called: "run-1"; "" for `Recordings.out` itself, which is empty.
        plan: How to run and what to record.
        capture: An operation row whose outputs are captured if the run is made; one that is there
            already counts without them. `plan.capture_row` asks for a run that has them.
        may_fail: Whether a run that could not be recorded is no error, and says so in its result.
    """

    label: str
    name: str
    plan: RunPlan
    capture: int | None = None
    may_fail: bool = False


@dataclass
class Recordings:
    """Makes the runs of one script, each in a folder of its own below `out`.

    A run is looked for first: one that was made by the same command with the same plan, of the
    same code and the same files in the same environment, and that is complete, stands for the new
    one. Nothing that was recorded is overwritten: where a folder holds another run, the new one is
    made beside it.

    Attributes:
        target: What to run.
        out: Folder that the run folders are made in.
        on_progress: Called with a run's label and its progress.
        reuse: Whether runs that are there already may be taken.
        reused: Folders of the runs that were taken, in order.
        made: Folders of the runs that were made.
    """

    target: Target
    out: Path
    on_progress: OnProgress | None = None
    reuse: bool = False
    reused: list[Path] = field(default_factory=list)
    made: list[Path] = field(default_factory=list)

    @property
    def series_of_names(self) -> int:
        """Which names temporary files have where these are pinned.

        They have to be free in each run: what a run of another check has left, since it was ended,
        has names of another series.
        """
        return zlib.crc32(os.fsencode(self.out.absolute()))

    def run(self, order: RunRequest) -> RunResult:
        """The run that is asked for: taken, where it is there already, else made.

        Raises:
            RecordError: The run could not be started or recorded.
        """
        found = self._find(order)
        return self._make(order, None) if found is None else found

    def run_together(self, orders: Sequence[RunRequest]) -> list[RunResult]:
        """Several runs at the same time.

        Raises:
            RecordError: One could not be started or recorded; the others are ended.
        """
        results: dict[int, RunResult] = {}
        missing = []
        for number, order in enumerate(orders):
            found = self._find(order)
            if found is None:
                missing.append(number)
            else:
                results[number] = found
        if missing:
            results.update(self._make_together(orders, missing))
        return [results[number] for number in range(len(orders))]

    def _make_together(
        self, orders: Sequence[RunRequest], missing: list[int]
    ) -> dict[int, RunResult]:
        results: dict[int, RunResult] = {}
        errors: list[BaseException] = []
        end = threading.Event()

        def make(number: int) -> None:
            try:
                results[number] = self._make(orders[number], end.is_set)
            except BaseException as error:
                errors.append(error)
                end.set()

        # The first one stays on this thread: signals reach it, and end the others as well.
        helpers = [threading.Thread(target=make, args=(number,)) for number in missing[1:]]
        for helper in helpers:
            helper.start()
        try:
            results[missing[0]] = self._make(orders[missing[0]], end.is_set)
        except BaseException:
            end.set()
            raise
        finally:
            for helper in helpers:
                helper.join()
        if errors:
            raise errors[0]
        return results

    def _make(self, order: RunRequest, cancelled: Callable[[], bool] | None) -> RunResult:
        def progress(now: Progress) -> None:
            if self.on_progress is not None:
                self.on_progress(order.label, now)

        folder = self._free_folder(order.name)
        self.made.append(folder)
        request = reuse.describe(self.target, order.plan)
        plan = order.plan
        if order.capture is not None:
            plan = replace(plan, capture_row=order.capture)
        result = run_script(self.target, folder, plan, progress, cancelled)
        if result.failure is not None and not order.may_fail:
            raise RecordError(f"{order.label} could not be recorded: {result.failure}")
        # A folder without it is not taken next time, and that is all.
        with contextlib.suppress(OSError, TraceError):
            reuse.note(folder, request, result)
        return result

    def _find(self, order: RunRequest) -> RunResult | None:
        if not self.reuse or order.plan.capture_row is not None:
            return None
        for folder in reversed(self._folders(order.name)):
            if folder in self.reused or folder in self.made:
                continue
            found = reuse.answered_by(folder, reuse.describe(self.target, order.plan))
            if found is not None:
                self.reused.append(folder)
                return found
        return None

    def _folders(self, name: str) -> list[Path]:
        """The folder of that name and those beside it, as far as they are there, oldest first."""
        folders = [self.out / name]
        while folders[-1].exists():
            folders.append(self.out / f"{name}.{len(folders) + 1}")
        return folders[:-1]

    def _free_folder(self, name: str) -> Path:
        if not name:
            return self.out
        taken = len(self._folders(name))
        folder = self.out / (name if not taken else f"{name}.{taken + 1}")
        folder.mkdir(parents=True)  # so that no other run at the same time gets the same
        return folder

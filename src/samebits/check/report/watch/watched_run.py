"""A run that is watched: its processes, and the run that it is held against."""

from __future__ import annotations

from pathlib import Path

from samebits.check.report.watch.progress import WatchedProcess
from samebits.check.trace.process_folders import PROCESSES_FOLDER
from samebits.check.trace.reader import Trace
from samebits.check.trace.recorded_steps import RecordedSteps
from samebits.core.names import printable
from samebits.errors import TraceError

_MOST_PROCESSES = 64
"""More are counted, and not followed."""


class WatchedRun:
    """Looks into a run folder again and again; every look is short, and waits for nothing.

    Args:
        folder: The run folder, finished, under way or still empty.
        against: A recorded run to compare each step with; the one that the run says itself to be
            compared with (`samebits run --against`) where this is None.

    Attributes:
        folder: The run folder.
        processes: The script's own process first, then those that it has started.
        further: How many processes there are that are not followed.
        against: What the run is compared with; None for nothing.
        trouble: Why it cannot be compared, "" where it can or need not.

    Raises:
        TraceError: `against` cannot be read.
    """

    def __init__(self, folder: Path, against: Path | None = None) -> None:
        self.folder = folder
        self.processes = [WatchedProcess(folder)]
        self.further = 0
        self.against = against
        self.trouble = ""
        self._reference = None if against is None else Trace.open(against)
        self._steps: RecordedSteps | None = None
        self._is_decided = False

    @property
    def is_behind(self) -> bool:
        """Whether there is more to be read than the last look has read."""
        return any(one.growing.is_behind and not one.trouble for one in self.processes)

    def look(self, now: float) -> None:
        """Read what has come since the last look, up to a limit.

        Args:
            now: Seconds of a clock that never goes back.
        """
        self._find_processes()
        script = self.processes[0]
        if not self._is_decided:
            script.growing.look_at_manifest()
            self._decide()
        for process in self.processes:
            process.look(now, self._steps if process is script else None)

    def _decide(self) -> None:
        """Once its manifest is there, it is known what the run is compared with, and how."""
        manifest = self.processes[0].growing.manifest
        if manifest is None:
            return
        self._is_decided = True
        named = manifest.extra.get("against")
        try:
            if self._reference is None and isinstance(named, str):
                self._reference, self.against = Trace.open(named), Path(named)
            if self._reference is not None:
                self._steps = RecordedSteps(self._reference, manifest.seeds)
        except TraceError as error:
            self.trouble = printable(error.message)

    def _find_processes(self) -> None:
        try:
            found = sorted(entry.name for entry in (self.folder / PROCESSES_FOLDER).iterdir())
        except OSError:
            return
        known = {process.name for process in self.processes}
        room = _MOST_PROCESSES - len(self.processes)
        new = [name for name in found if name not in known]
        self.processes += [
            WatchedProcess(self.folder / PROCESSES_FOLDER / name, name) for name in new[:room]
        ]
        self.further = len(new[room:])

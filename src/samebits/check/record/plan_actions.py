"""Does what a plan asks for at a step or at an operation row: save, stop, kill, count."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from samebits.check.record.events import RecorderEvents
from samebits.check.record.plan import PROGRESS, RecordedProcess
from samebits.check.record.remaining import kill_others
from samebits.errors import SamebitsError, TraceError

if TYPE_CHECKING:
    from samebits.check.record.against import Against
    from samebits.check.record.followed import FollowedTensors


class PlanActions(RecorderEvents):
    """Acts for a recorded process, when its recorder reports something.

    Args:
        process: The process and its plan.
        flush: Writes what was recorded so far.
        own_imports: What samebits' own imports have to lie in.
        leave: Ends the recording, and the script's own process with it, for a reason that the
            manifest keeps.
        failed: Reports to the launcher that samebits could not record something.
        stepped: Called with the number of each step, from 0, once it has ended.
    """

    def __init__(
        self,
        process: RecordedProcess,
        *,
        flush: Callable[[], None],
        own_imports: Callable[[], AbstractContextManager[None]],
        leave: Callable[[str], object],
        failed: Callable[[SamebitsError], None],
        stepped: Callable[[int], None],
    ) -> None:
        self._process = process
        self._plan = process.plan
        self._flush = flush
        self._own_imports = own_imports
        self._leave = leave
        self._failed = failed
        self._stepped = stepped
        self._against: Against | None = None
        self._followed: FollowedTensors | None = None

    def start(self) -> None:
        """Begin with what the recorder does not report: the state of some steps, entry by entry."""
        if self._plan.state_steps is not None:
            from samebits.check.record.step_states import StepStates

            first, count = self._plan.state_steps
            StepStates(self._process.states_file, first=first, count=count).start()
        if self._plan.kept_steps:
            from samebits.check.record.kept_states import KeptStates

            KeptStates(self._process.kept_folder, self._plan.kept_steps).start()
        if self._plan.against is not None:
            from samebits.check.record.against import Against

            self._against = Against(Path(self._plan.against), self._plan.seeds)

    def step_recorded(self, row: Mapping[str, Any]) -> None:
        """Compare the step with that of another run."""
        if self._against is not None:
            self._against.step_recorded(row)

    def step_ended(self, steps: int) -> None:
        """Note what the step has left, and kill or stop where it was the last one."""
        self._stepped(steps - 1)
        if self._followed is not None:
            with self._own_imports():
                self._followed.close()
        if self._plan.kill_at_step == steps and self._plan.kill_rank in (None, _rank()):
            self._kill()
        if self._plan.stops_where_different and self._against and self._against.diverged:
            self._leave("stopped-at-step")
        if self._plan.steps is not None and steps >= self._plan.steps:
            self._leave("stopped-at-step")

    def rows_written(self, steps: int, ops: int) -> None:
        """Count, for the launcher to show."""
        with contextlib.suppress(OSError):
            descriptor = os.open(self._process.progress_file, os.O_WRONLY | os.O_CREAT, 0o600)
            try:
                os.pwrite(descriptor, PROGRESS.pack(steps, ops), 0)
            finally:
                os.close(descriptor)

    def captured(self, result: Any, written: list[Any]) -> None:
        """Save the outputs of the row."""
        with self._own_imports():
            from samebits.check.record.capture import save_outputs

            try:
                save_outputs(result, written, self._process.capture_file)
            except Exception:  # no room, say: the run stands, without these values
                self._process.capture_file.unlink(missing_ok=True)

    def replay(self, op: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """Run the operation again and again, and stop."""
        with self._own_imports():
            from samebits.check.record.replay import replay

            replay(op, args, kwargs, self._process.replay_file, self._process.replayed_files)
        self.stop_row_recorded()

    def given(self, op: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Follow the tensors that an operation is given."""
        if self._followed is None:
            with self._own_imports():
                from samebits.check.record.followed import FollowedTensors

                self._followed = FollowedTensors(self._process.followed_file)
        return self._followed.given(op, args, kwargs)

    def gave(self, row: int, given: Any, result: Any, written: list[Any]) -> None:
        """Follow the tensors that it has made."""
        if self._followed is not None:
            self._followed.gave(row, given, result, written)

    def recording_ended(self) -> None:
        """Write what was noted of tensors; a step that never ended has no other end."""
        if self._followed is not None:
            with self._own_imports():
                self._followed.close()

    def stop_row_recorded(self) -> None:
        """Stop."""
        self._leave("stopped-at-row")

    def recording_failed(self, error: SamebitsError) -> None:
        """Report it now: the process may not come to its end."""
        self._failed(error)

    def _kill(self) -> None:
        """End as a power cut would: what was recorded stays, the script leaves nothing more."""
        with contextlib.suppress(TraceError):
            self._flush()
        if self._plan.kill_rank is None:
            kill_others(self._process.workspace)
        os.kill(os.getpid(), signal.SIGKILL)


def _rank() -> int | None:
    """The rank of this process; None where it has none."""
    distributed: Any = sys.modules.get("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return int(distributed.get_rank())
    text = os.environ.get("RANK", "")
    return int(text) if text.isdecimal() else None

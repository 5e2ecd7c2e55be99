"""What a plan asks for on a thread, and how many of its operations are enough."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from samebits.check.record.plan import RecordedProcess
from samebits.check.record.processes.further_actions import FurtherActions
from samebits.errors import SamebitsError


class ThreadActions(FurtherActions):
    """Does what a plan asks for on a thread.

    Args:
        process: The thread and its plan.
        flush: Writes what was recorded so far.
        own_imports: What samebits' own imports have to lie in.
        stop: Ends the recording, for a reason that the manifest keeps.
        failed: Reports that something could not be recorded.
        stepped: Called with the number of each step, from 0, once it has ended.
        enough: Called after each `operations` that are recorded, with their number.
    """

    def __init__(
        self,
        process: RecordedProcess,
        *,
        flush: Callable[[], None],
        own_imports: Callable[[], AbstractContextManager[None]],
        stop: Callable[[str], None],
        failed: Callable[[SamebitsError], None],
        stepped: Callable[[int], None],
        enough: Callable[[int], None],
    ) -> None:
        super().__init__(
            process,
            flush=flush,
            own_imports=own_imports,
            stop=stop,
            failed=failed,
            stepped=stepped,
        )
        self._enough = enough

    @property
    def operations(self) -> int:
        """How many operations of a thread may be enough; 0 where the plan asks for all, or one."""
        plan = self._plan
        asked = (plan.stop_row, plan.capture_row, plan.replay_row, plan.follow_row)
        if plan.level != "auto" or asked != (None,) * len(asked):
            return 0
        return plan.thread_operations or 0

    def stop_row_recorded(self) -> None:
        """Ask whether that is enough, where the plan leaves it open; else stop."""
        if self.operations:
            self._enough(self.operations)
        else:
            super().stop_row_recorded()

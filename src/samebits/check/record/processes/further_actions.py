"""What a plan asks for in a process that the script has started, or on a thread."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from samebits.check.record.plan import RecordedProcess
from samebits.check.record.plan_actions import PlanActions
from samebits.errors import SamebitsError


class FurtherActions(PlanActions):
    """Does what a plan asks for in a process or on a thread.

    Others may wait for it: where the plan asks to stop, it goes on unrecorded. What the launcher
    shows is counted by the script's own process.

    Args:
        process: The process or thread, and its plan.
        flush: Writes what was recorded so far.
        own_imports: What samebits' own imports have to lie in.
        stop: Ends the recording, for a reason that the manifest keeps.
        failed: Reports that something could not be recorded.
        stepped: Called with the number of each step, from 0, once it has ended.
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
    ) -> None:
        super().__init__(
            process,
            flush=flush,
            own_imports=own_imports,
            leave=stop,
            failed=failed,
            stepped=stepped,
        )

    def rows_written(self, steps: int, ops: int) -> None:
        """Nothing is shown of rows outside the script's own process."""

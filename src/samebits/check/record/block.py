"""`samebits.record()`: recording a part of a program from inside it."""

from __future__ import annotations

import os
import sys
import time
from datetime import datetime, timezone
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from samebits.check.trace.schema import LEVELS
from samebits.errors import RecordError, TraceError, UsageError

if TYPE_CHECKING:
    from samebits.check.record.recorder import Recorder
    from samebits.check.trace.reader import Trace


class record:  # noqa: N801 (used like a function)
    """Record what torch does inside a `with` block into a run folder.

    ```python
    with samebits.record("runs/mine") as run:
        train_one_epoch()
    print(run.folder, run.trace.count_ops())
    ```

    Operations of this thread and of the backward passes that it starts are recorded; those of other
    threads and of child processes are not. Recordings do not nest.

    Args:
        folder: The run folder, new or empty; "runs/<date>-<id>" unless given.
        level: "op" for every operation, "module" for every module call, "step" for the digests of
            each optimizer step alone.

    Attributes:
        folder: The run folder.

    Raises:
        UsageError: The level is unknown.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None, *, level: str = "op") -> None:
        if level not in LEVELS:
            raise UsageError(f"unknown level {level!r}", hint=f"choose one of {', '.join(LEVELS)}")
        if folder is None:
            # os.urandom, not a generator: a name must draw nothing from any stream of numbers.
            stamp = datetime.now(timezone.utc).strftime("%Y-%m-%d-%H%M%S")
            folder = Path("runs") / f"{stamp}-{os.urandom(2).hex()}"
        self.folder = Path(folder)
        self._level = level
        self._recorder: Recorder | None = None
        self._started = 0.0

    def __enter__(self) -> record:
        """Begin to record.

        Raises:
            RecordError: This process is being recorded already.
            TraceError: The folder cannot be written, or holds a run.
        """
        from samebits.check.record import recorder
        from samebits.check.record.facts import first_manifest
        from samebits.check.record.ledger.ledger import Ledger
        from samebits.check.record.plan import RecordedProcess, RunPlan
        from samebits.check.record.sources import SourceClassifier
        from samebits.check.trace.writer import TraceWriter
        from samebits.core import _native

        if recorder.active() is not None:
            raise RecordError(
                "this process is being recorded already",
                hint="Recordings cannot be nested; `samebits run` and `check` record too.",
            )
        process = RecordedProcess(
            plan=RunPlan(level=self._level),
            folder=str(self.folder),
            workspace="",
            command=tuple(sys.argv),
        )
        self._writer = TraceWriter(self.folder, first_manifest(process))
        native, classify = _native.Recorder(), SourceClassifier()
        native.classify(classify)
        self._recorder = recorder.Recorder(self._writer, classify, process.plan, native=native)
        self._native = native
        self._ledger = Ledger(native, None)
        self._ledger.start()
        self._ledger.torch_imported()
        self._started = time.monotonic()
        self._recorder.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End recording and complete the run folder, also when the block raised.

        Raises:
            TraceError: The folder could not be written; what was flushed before stays readable.
        """
        from samebits.check.record.ledger.merging import add_ledger
        from samebits.check.trace.schema import MANIFEST_FILE

        own = self._recorder
        assert own is not None
        self._ledger.stop()
        own.stop()
        self._native.release()
        if own.failure is not None:
            raise own.failure
        self._writer.close(
            exit={
                "code": 0 if kind is None else 1,
                "signal": None,
                "reason": "finished" if kind is None else "exception",
            },
            seconds=time.monotonic() - self._started,
            counts={"ops": own.ops, "steps": own.steps},
            thread_steps=own.thread_steps,
            notes=own.notes,
        )
        manifest = add_ledger(self.folder, self._writer.manifest, [self._ledger.own_table()])
        try:
            manifest.write(self.folder / MANIFEST_FILE)
        except OSError as error:
            raise TraceError(f"cannot write {self.folder / MANIFEST_FILE}: {error}") from error

    @property
    def trace(self) -> Trace:
        """The recorded run, readable once the block has ended."""
        from samebits.check.trace.reader import Trace

        return Trace.open(self.folder)

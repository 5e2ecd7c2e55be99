"""Records what one process computes that the script, or one of its processes, has started.

Its rows go into a run folder of its own, `processes/<token>` in the folder of the run. It is made
at the first row: most processes that import torch compute nothing with it.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import time
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from samebits.check.record.joined_group import RANK, when_joined
from samebits.check.record.ledger.ledger import Ledger
from samebits.check.record.plan import RecordedProcess
from samebits.check.record.processes.further_actions import FurtherActions
from samebits.check.record.processes.journal import Journal
from samebits.check.record.processes.origin import in_loader_worker
from samebits.check.record.processes.progress import ProcessProgress
from samebits.check.record.replicas import Replicas
from samebits.check.record.sources import SourceClassifier
from samebits.core import _native

if TYPE_CHECKING:
    from collections.abc import Callable

    from samebits.check.record.processes.late_writer import LateWriter
    from samebits.check.record.processes.saved_values import SavedValues
    from samebits.check.record.recorder import Recorder
    from samebits.check.record.save_hooks import SaveHooks
    from samebits.check.record.values.tracing import ValuesTrace
    from samebits.check.trace.writer import TraceWriter


class ProcessRecording:
    """Records this process, from the import of torch or from the fork that made it.

    Args:
        process: This process and its plan.
        journal: Its own.
        native: The native recorder, which the ledger tells of sites.
        ledger: The ledger of this process.
        classify: Tells user code from libraries.
        own_imports: What samebits' own imports have to lie in.
        inherited: The recorder of the process that was forked, where it had one.
        save_hooks: What heard of saves there.
        values: What follows its variables, where that was asked for.
        before_end: Called before its folder is completed.
    """

    def __init__(
        self,
        process: RecordedProcess,
        journal: Journal,
        *,
        native: _native.Recorder,
        ledger: Ledger,
        classify: SourceClassifier,
        own_imports: Callable[[], AbstractContextManager[None]],
        inherited: Recorder | None = None,
        save_hooks: SaveHooks | None = None,
        values: ValuesTrace | None = None,
        before_end: Callable[[], None] = lambda: None,
    ) -> None:
        self._before_end = before_end
        self.recorder = inherited
        self.save_hooks = save_hooks
        self.saved_values: SavedValues | None = None
        self._values = values
        self._process = process
        self._journal = journal
        self._native = native
        self._ledger = ledger
        self._classify = classify
        self._own_imports = own_imports
        self._number = os.getpid()
        self._started = time.monotonic()
        self._writer: LateWriter | None = None
        self._flushed = (0, 0)
        self._replicas = Replicas(native, classify.is_user)
        self._progress = ProcessProgress(native, self._replicas)

    def begin(self) -> bool:
        """Record from here on; torch is imported.

        Returns:
            Whether every operation of this thread is recorded from here on.
        """
        with self._own_imports():
            from samebits.check.record.processes.late_writer import LateWriter
            from samebits.check.record.recorder import Recorder

            self._writer = LateWriter(self._open_writer)
            events = FurtherActions(
                self._process,
                flush=self.flush,
                own_imports=self._own_imports,
                stop=self.end,
                stepped=self._stepped,
                failed=lambda error: self._journal.note("failed", error.message),
            )
            if self.recorder is not None:
                self.recorder.restart(self._writer, events, self._process.plan)
            else:
                self.recorder = Recorder(
                    self._writer,
                    self._classify,
                    self._process.plan,
                    native=self._native,
                    events=events,
                )
                self._ledger.torch_imported()
                self.recorder.start()
            self._listen_to_saves()
        self._keep_states()
        when_joined(self._native, self._joined)
        self._replicas.install()
        self._progress.listen()
        atexit.register(self.end)
        self._ledger.before_exit(self.end)
        return self._native.recording_ops

    def _listen_to_saves(self) -> None:
        from samebits.check.record.processes.saved_values import SavedValues
        from samebits.check.record.save_hooks import SaveHooks

        self.saved_values = SavedValues(
            lambda: self._ledger.own_names(self._number), self._ledger.is_time
        )
        if self.save_hooks is None:
            self.save_hooks = SaveHooks(self._native, self.saved_values.saved)
            self.save_hooks.install()
        else:
            self.save_hooks.listener = self.saved_values.saved

    def _keep_states(self) -> None:
        """Keep the values after some steps, where that was asked for."""
        if self._process.plan.kept_steps:
            with self._own_imports():
                from samebits.check.record.kept_states import KeptStates

                KeptStates(self._process.kept_folder, self._process.plan.kept_steps).start()

    def flush(self) -> None:
        """Write what this thread has computed: somebody is about to hear of it."""
        recorder = self.recorder
        if recorder is None or self._writer is None or not recorder.is_own_thread:
            return
        done = (recorder.ops, recorder.steps)
        if done != self._flushed:
            self._flushed = done
            with contextlib.suppress(Exception):
                recorder.flush()

    def end(self, reason: str = "finished") -> None:
        """Complete the folder: the process is about to end, or what was asked for is recorded.

        Args:
            reason: Why, as the manifest has it.
        """
        recorder, writer = self.recorder, self._writer
        if recorder is None or writer is None or os.getpid() != self._number:
            return
        self._writer = None
        try:
            if self._values is not None:
                self._values.stop()
            with self._own_imports():
                self._before_end()
                recorder.stop()
                self._ledger.stop()
                if recorder.failure is None:
                    writer.close(lambda: self._facts(reason))
        except Exception as error:
            # Nothing of ours may show at the end of a process that has done nothing wrong.
            self._journal.note("failed", f"{type(error).__name__}: {error}")

    def _stepped(self, step: int) -> None:
        self._progress.stepped(step)
        self._replicas.stepped(step)

    def _open_writer(self) -> TraceWriter | None:
        from samebits.check.record.facts import first_manifest
        from samebits.check.trace.writer import TraceWriter

        if in_loader_worker():  # a fork server does not say what it forks for
            assert self.recorder is not None
            self.recorder.abandon()
            self._journal.note("worker")
            return None
        writer = TraceWriter(self._process.folder, first_manifest(self._process))
        self._journal.note("recorded", self._ledger.table)
        try:
            rows = self._progress.begin(self._process.workspace, self._journal.token)
            self._native.count_in(rows)
        except OSError as error:
            self._journal.note("failed", f"its operations could not be counted: {error.strerror}")
        return writer

    def _joined(self, rank: int, world: int) -> None:
        self._journal.note(RANK, str(rank), str(world))

    def _facts(self, reason: str) -> dict[str, object]:
        from samebits.check.record.facts import code_facts

        recorder = self.recorder
        assert recorder is not None
        if reason == "finished" and getattr(sys, "last_type", None) is not None:
            reason = "exception"
        return {
            "code": code_facts(list(sys.modules.values()), self._classify),
            "exit": {"code": None, "signal": None, "reason": reason},
            "seconds": time.monotonic() - self._started,
            "process": self._number,
            "counts": {"ops": recorder.ops, "steps": recorder.steps},
            "thread_steps": recorder.thread_steps,
            "notes": recorder.notes,
            "replicas": self._replicas.to_json(),
            **({"saved_values": saved} if (saved := self._saved()) else {}),
        }

    def _saved(self) -> dict[str, list[Any]]:
        return {} if self.saved_values is None else self.saved_values.to_json()

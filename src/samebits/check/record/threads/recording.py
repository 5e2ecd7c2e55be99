"""Records what the threads of a process compute that it starts.

The rows of each go into a run folder of its own, as those of a process do. A thread is followed
from its first line on, and gets a recorder at the first sign of torch: most threads compute
nothing.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import time
from _thread import get_ident
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from samebits.check.record.function_hooks import CALL, hook_function
from samebits.check.record.piped import PipedMessages
from samebits.check.record.processes.journal import Journal
from samebits.check.record.processes.origin import HELPER, POOL_WORKER
from samebits.check.record.processes.planned import process_to_record
from samebits.check.record.processes.row_counter import RowCounter
from samebits.check.record.sources import SourceClassifier
from samebits.check.record.threads import between
from samebits.check.record.threads.names import ThreadName, ThreadNames
from samebits.check.record.threads.origin import ThreadOrigins
from samebits.check.record.threads.pool_tasks import PoolTasks
from samebits.check.trace.turns import KEY as TURNS
from samebits.core import _native
from samebits.core.on_import import when_imported
from samebits.errors import SamebitsError

if TYPE_CHECKING:
    from samebits.check.record.mode import RecorderMode
    from samebits.check.record.plan import RecordedProcess
    from samebits.check.record.processes.late_writer import LateWriter
    from samebits.check.record.recorder import Recorder
    from samebits.check.trace.manifest import Manifest
    from samebits.check.trace.writer import TraceWriter

_THREAD = 6
"""The kind of hook around what a thread runs, as in native/python/call_hook.hpp."""
_FLUSH_SECONDS = 1.0


@dataclass
class _Recording:
    """What is recorded of the threads of one name.

    Attributes:
        process: The thread and its plan.
        recorder: Records it.
        writer: Where its rows go.
        counter: Counts them for the case of a kill.
        flushed: Operations and steps that it had when it was last written for somebody to hear.
        has_enough: Whether its further operations are left out.
    """

    process: RecordedProcess
    recorder: Recorder
    writer: LateWriter
    counter: RowCounter | None = None
    flushed: tuple[int, int] = (0, 0)
    has_enough: bool = False


@dataclass
class _Entered:
    """A thread that is running.

    Attributes:
        name: Its name.
        mode: The dispatch mode that it has entered.
        is_recorded: Whether it has shown a sign of torch.
        piped: Messages that it has sent and received; once it is recorded, those of its recorder.
    """

    name: ThreadName
    mode: RecorderMode | None = None
    is_recorded: bool = False
    piped: PipedMessages = field(default_factory=PipedMessages)


class ThreadRecordings:
    """Records the threads of this process.

    Args:
        workspace: The run's folder for its processes.
        journal: This process's own.
        native: The native recorder of the process.
        classify: Tells user code from libraries.
        own_imports: What samebits' own imports have to lie in.
        recorder: Gives the recorder of the process's first thread; None before torch is imported.

    Attributes:
        notes: What a person should know of threads that were not recorded.
    """

    def __init__(
        self,
        workspace: str,
        journal: Journal,
        *,
        native: _native.Recorder,
        classify: SourceClassifier,
        own_imports: Callable[[], AbstractContextManager[None]],
        recorder: Callable[[], Recorder | None],
    ) -> None:
        self._workspace = workspace
        self._native = native
        self._classify = classify
        self._own_imports = own_imports
        self._recorder = recorder
        self._origins = ThreadOrigins(classify.is_user)
        self._started = time.monotonic()
        self.notes: list[str] = []
        self._begin(journal)

    def _begin(self, journal: Journal) -> None:
        self._journal = journal
        self._process = os.getpid()
        self._names = ThreadNames(journal.token)
        self._running: dict[int, _Entered] = {}
        self._pools = PoolTasks()
        self._recordings: dict[str, _Recording] = {}
        self._manifest: Manifest | None = None
        self._raised: set[str] = set()
        self._has_ended = False

    def install(self) -> None:
        """Hear of each thread that is started from now on, and of each that is joined."""
        between.install(self._prepared)
        when_imported("threading", self._listen_to_joins)
        when_imported("concurrent.futures.thread", self._listen_to_pools)

    def restart(self, journal: Journal) -> None:
        """In a forked child: the parent's threads are not there.

        Args:
            journal: The child's own.
        """
        for recording in self._recordings.values():
            recording.recorder.abandon()
        entered = self._running.get(get_ident())
        if entered is not None and entered.mode is not None:
            entered.mode.leave()
        self._native.end_thread()
        self.notes.clear()
        self._begin(journal)

    def recorder_here(self) -> Recorder | None:
        """The recorder of the calling thread, where the process has started it."""
        entered = self._running.get(get_ident())
        if entered is None or not self._first_sign(entered):
            return None
        return self._recordings[entered.name.token].recorder

    def piped_here(self) -> PipedMessages | None:
        """What keeps the messages of the calling thread, where the process has started it."""
        entered = self._running.get(get_ident())
        return None if entered is None else entered.piped

    def flush(self) -> None:
        """Write what the calling thread has computed: somebody is about to hear of it."""
        entered = self._running.get(get_ident())
        if entered is None or not entered.is_recorded:
            return
        recording = self._recordings[entered.name.token]
        done = (recording.recorder.ops, recording.recorder.steps)
        if done != recording.flushed:
            recording.flushed = done
            with contextlib.suppress(Exception):
                recording.recorder.flush()

    def end(self) -> None:
        """Complete all folders: the process is about to end."""
        if self._has_ended or os.getpid() != self._process:
            return
        self._has_ended = True
        if not self._recordings:
            return
        from samebits.check.record.facts import code_facts

        code = code_facts(list(sys.modules.values()), self._classify)
        running = {entered.name.token for entered in self._running.values()}
        for token, recording in self._recordings.items():
            try:
                recording.recorder.stop()
                ended = "exception" if token in self._raised else "finished"
                reason = "running" if token in running else ended
                facts = functools.partial(self._facts, recording, reason, code)
                if recording.recorder.failure is None:
                    recording.writer.close(facts)
            except Exception as error:
                # Nothing of ours may show at the end of a script that has done nothing wrong.
                self._failed(token, f"{type(error).__name__}: {error}")

    def _facts(
        self, recording: _Recording, reason: str, code: list[dict[str, str]]
    ) -> dict[str, Any]:
        recorder = recording.recorder
        return {
            "code": code,
            "exit": {"code": None, "signal": None, "reason": reason},
            "seconds": time.monotonic() - self._started,
            "process": self._process,
            "counts": {"ops": recorder.ops, "steps": recorder.steps},
            "notes": recorder.notes,
            "operations_left_out": recording.has_enough,
            # An order of rows tells which task did what only where tasks never overlapped.
            TURNS: recorder.native.turns if self._pools.in_sequence else None,
        }

    # What is heard.

    def _prepared(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """What a thread is to run that is being started, with an ear on its beginning and end."""
        if os.getpid() != self._process or self._has_ended:
            return function
        origin = self._origins.here()
        if origin.role == HELPER:
            return function
        if origin.role != POOL_WORKER:
            self._pools.in_sequence = False
        entered = self._running.get(get_ident())
        starter = self._names.process if entered is None else entered.name.token
        thread = getattr(function, "__self__", None)
        name = self._names.take(starter, origin, self._native.total_rows, thread)
        self._listen_to_its_error(thread, name.token)
        wrapped: Callable[..., Any] = self._native.call_hook(
            _THREAD, function, functools.partial(self._changes, name)
        )
        return wrapped

    def _listen_to_its_error(self, thread: Any, token: str) -> None:
        """Note that an error ends a thread, whoever `threading.excepthook` is by then."""
        report = getattr(thread, "_invoke_excepthook", None)
        if report is None:
            return

        def reported(thread: Any) -> None:
            if sys.exc_info()[0] is not SystemExit:  # by which a thread may end itself
                self._raised.add(token)
            report(thread)

        thread._invoke_excepthook = reported

    def _listen_to_joins(self) -> None:
        threading: Any = sys.modules["threading"]

        def joined(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            if not args[0].is_alive():
                self._names.joined(args[0])

        hook_function(self._native, threading.Thread, "join", CALL, joined)

    def _listen_to_pools(self) -> None:
        module: Any = sys.modules["concurrent.futures.thread"]

        def made(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            self._origins.executor_made(args[0])

        hook_function(self._native, module.ThreadPoolExecutor, "__init__", CALL, made)
        hook_function(
            self._native, module.ThreadPoolExecutor, "submit", CALL, self._pools.submitted
        )

    def _changes(self, name: ThreadName, begins: bool) -> None:
        """A thread begins or ends, and is the calling one."""
        if os.getpid() != self._process:
            return
        if begins:
            self._enter(name)
        else:
            self._leave()

    def _enter(self, name: ThreadName) -> None:
        entered = self._running[get_ident()] = _Entered(name)
        main = self._recorder()
        if main is None or not main.is_watching or self._has_ended:
            self._journal.note("thread")
            if main is None and name.origin.file:
                at = f"{Path(name.origin.file).name}:{name.origin.line}"
                self.notes.append(
                    f"a thread was started at {at} before torch was imported: its operations are "
                    "not recorded"
                )
            return
        main.on_threads = self.recorder_here
        self._native.begin_thread(functools.partial(self._first_sign, entered))
        known = self._recordings.get(name.token)
        if main.records_threads_from_the_start and not (known and known.has_enough):
            from samebits.check.record.mode import RecorderMode

            entered.mode = RecorderMode(self._native, later=True)
            entered.mode.__enter__()

    def _leave(self) -> None:
        entered = self._running.pop(get_ident(), None)
        self._native.end_thread()
        if entered is None:
            return
        recording = self._recordings.get(entered.name.token)
        if recording is None or not entered.is_recorded:
            if entered.mode is not None:
                entered.mode.leave()
            return
        recording.recorder.leave_thread()
        if not self._has_ended:
            with contextlib.suppress(SamebitsError):
                recording.writer.rest()

    # What is recorded.

    def _first_sign(self, entered: _Entered) -> bool:
        """The calling thread is about to use torch; whether it is recorded."""
        if entered.is_recorded:
            return True
        token = entered.name.token
        try:
            if token not in self._recordings and not self._has_ended:
                with self._own_imports():
                    recording = self._made(entered.name)
                if recording is not None:
                    self._recordings[token] = recording
            if token in self._recordings:
                recorder = self._recordings[token].recorder
                recorder.enter_thread(entered.mode)
                entered.is_recorded = True
                entered.piped.go_on_as(recorder.piped)
                entered.piped = recorder.piped
        except Exception as error:
            self._failed(token, f"{type(error).__name__}: {error}")
        return entered.is_recorded

    def _made(self, name: ThreadName) -> _Recording | None:
        from samebits.check.record.processes.late_writer import LateWriter
        from samebits.check.record.recorder import Recorder
        from samebits.check.record.threads.thread_actions import ThreadActions

        process = process_to_record(self._workspace, name.token)
        main = self._recorder()
        if process is None or main is None or process.plan.cost_steps is not None:
            return None
        actions = ThreadActions(
            process,
            flush=self.flush,
            own_imports=self._own_imports,
            stop=lambda reason: self._stop(name.token),
            stepped=lambda step: self._stepped(name.token, step),
            failed=lambda error: self._failed(name.token, error.message),
            enough=lambda operations: self._enough(name, operations),
        )
        writer = LateWriter(lambda: self._open_writer(name, process))
        recorder = Recorder(writer, self._classify, process.plan, events=actions, beside=main)
        if actions.operations and name.origin.role != POOL_WORKER:
            recorder.native.stop_row = actions.operations - 1
        return _Recording(process, recorder, writer)

    def _open_writer(self, name: ThreadName, process: RecordedProcess) -> TraceWriter:
        from samebits.check.record.facts import first_manifest
        from samebits.check.trace.writer import TraceWriter

        if self._manifest is None:
            self._manifest = first_manifest(process)
        writer = TraceWriter(process.folder, self._manifest)
        origin = name.origin
        where = (origin.via, origin.role, origin.file, str(origin.line))
        self._journal.note(
            "recorded-thread", name.token, name.starter, *where, str(name.nth), str(name.row)
        )
        recording = self._recordings[name.token]
        try:
            recording.counter = RowCounter(self._workspace, name.token)
            recording.recorder.native.count_in(recording.counter.address)
        except OSError as error:
            self._failed(name.token, f"its operations could not be counted: {error.strerror}")
        return writer

    def _stepped(self, token: str, step: int) -> None:
        counter = self._recordings[token].counter
        if counter is not None:
            counter.count_step(step + 1, None)

    def _enough(self, name: ThreadName, operations: int) -> None:
        """So many operations are recorded that no more are, unless what they say may be needed.

        The process's first thread may be on its way to its first step, and threads that share work
        can be compared together alone.
        """
        recording, main = self._recordings[name.token], self._recorder()
        is_needed = main is not None and main.is_watching and main.records_operations
        if is_needed or not self._names.is_alone(name):
            recording.recorder.native.stop_row += operations
            return
        recording.has_enough = True
        recording.recorder.end_operations()

    def _stop(self, token: str) -> None:
        """What was asked of this thread is recorded; it goes on, since others may wait for it."""
        recording = self._recordings[token]
        recording.recorder.stop()
        recording.writer.close(functools.partial(self._facts, recording, "stopped-at-row", []))

    def _failed(self, token: str, message: str) -> None:
        self._journal.note("failed-thread", token, message)

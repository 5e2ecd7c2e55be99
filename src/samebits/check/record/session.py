"""A recorded process from its first line to its last: started by the bootstrap, ended at exit."""

from __future__ import annotations

import atexit
import contextlib
import gc
import json
import os
import sys
import time
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

from samebits.check.hooks import Installed, install
from samebits.check.record import exact_runs
from samebits.check.record.deterministic import make_deterministic
from samebits.check.record.ending import end_with
from samebits.check.record.joined_group import RANK, when_joined
from samebits.check.record.ledger.ledger import Ledger
from samebits.check.record.made_files import note_made_files
from samebits.check.record.opened_files import OpenedFiles
from samebits.check.record.own_imports import OwnImports
from samebits.check.record.plan import RecordedProcess, error_file
from samebits.check.record.printed import PrintedOutput
from samebits.check.record.processes.here import Parts, begin_in_script
from samebits.check.record.processes.inherited_hooks import hand_on
from samebits.check.record.processes.progress import ProcessProgress
from samebits.check.record.replicas import Replicas
from samebits.check.record.sources import SourceClassifier
from samebits.check.record.temporary_folders import TemporaryFolders
from samebits.check.trace.schema import STEPS_IN_ANY_ORDER
from samebits.core import _native
from samebits.core.catalog.own_names import OwnNames
from samebits.core.on_import import when_imported
from samebits.errors import RecordError, SamebitsError, TraceError
from samebits.training.control import audit, seed_everything

if TYPE_CHECKING:
    from samebits.check.record.recorder import Recorder
    from samebits.check.record.saves import Saves
    from samebits.check.record.values.tracing import ValuesTrace
    from samebits.check.trace.writer import TraceWriter

_session: Session | None = None


def start(session_file: str, before: set[str], folders: list[str]) -> None:
    """Begin to record this process as its launcher has planned.

    Args:
        session_file: What the launcher wrote, a `RecordedProcess`.
        before: Names of the modules that were loaded before samebits.
        folders: The entries of the script's own PYTHONPATH.
    """
    global _session
    try:
        process = RecordedProcess.read(session_file)
    except RecordError as error:
        error_file(os.path.dirname(session_file)).write_text(str(error))
        return  # the script runs on, and the launcher reports that it was not recorded
    end_with(process.ends_with)
    _session = Session(process)
    _session.begin()
    _session.own_imports = OwnImports([process.script_folder, *folders], before)
    _session.trace_values()


class Session:
    """What records one process: listens from the start, records torch once it is imported.

    Nothing heavy is imported before the script imports it: NumPy and torch read the environment
    when they are loaded, and a script may still set it.
    """

    def __init__(self, process: RecordedProcess) -> None:
        process = replace(process, plan=process.plan.acting_in("0"))
        self._process = process
        self._plan = plan = process.plan
        self._number = os.getpid()
        self._started = time.monotonic()
        self._classify = SourceClassifier(process.user_code)
        self._writer: TraceWriter | None = None
        self._recorder: Recorder | None = None
        self._saves: Saves | None = None
        self._finished = False
        self._reason = "finished"
        self._notes: list[str] = []
        self._hooks = Installed(())
        self._exact: exact_runs.ExactRun | None = None
        self._native = _native.Recorder()
        self._native.watching = True
        self._native.classify(self._classify)
        self._ledger = Ledger(self._native, Path(process.workspace))
        self._values: ValuesTrace | None = None
        if plan.trace_values:
            from samebits.check.record.values.tracing import ValuesTrace

            self._values = ValuesTrace(
                process.folder, self._classify, self._native, plan.values_limit
            )
        self.own_imports = OwnImports((), set(sys.modules))

    def begin(self) -> None:
        """Listen to output, files, forks, the end of the process, and the import of torch."""
        _native.keep_freed_memory()
        if not self._ledger.start():
            self._notes.append("there is no ledger: its table could not be made")
        self._install_hooks()
        self._temporary = TemporaryFolders()
        own = (self._process.folder, self._process.workspace)
        self._files = OpenedFiles(ignore=own, on_saved=note_made_files(self._process))
        self._printed = PrintedOutput(self._native, lambda: self._steps, self._ledger.is_duration)
        self._printed.when_full(self._open_writer_early)
        os.register_at_fork(after_in_child=self._in_child)
        self._replicas = Replicas(self._native, self._classify.is_user)
        self._progress = ProcessProgress(self._native, self._replicas)
        self._threads, self._journal = begin_in_script(
            self._process.workspace,
            Parts(
                self._native,
                self._ledger,
                self._classify,
                lambda: self.own_imports(),
                lambda: self._recorder,
                lambda: None if self._saves is None else self._saves.hooks,
            ),
        )
        atexit.register(self._finish)
        self._ledger.before_exit(self._hard_exit)
        if exact_runs.wanted(os.environ):
            when_imported("torch", self._compute_exactly)
        when_imported("torch", self._torch_imported)
        if self._plan.pinned_seed is not None:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                seed_everything(self._plan.pinned_seed, lazy=True)
            self._notes += [str(warning.message) for warning in caught]
            when_imported("torch", lambda: make_deterministic(self._plan))

    def trace_values(self) -> None:
        """Follow the script's variables, where asked for; nothing of ours runs after it."""
        if self._values is not None and not self._values.start():
            self._failed(RecordError(f"cannot write the values of {self._process.folder}"))

    def _install_hooks(self) -> None:
        """Before everything that listens, so that it hears what the script gets."""
        try:
            self._hooks = install(self._plan.surroundings.hooks, self._classify.is_user)
            hand_on(self._process.workspace, self._plan.surroundings.hooks)
        except SamebitsError as error:
            self._failed(error)

    @property
    def _steps(self) -> int:
        return self._recorder.steps if self._recorder is not None else 0

    def _compute_exactly(self) -> None:
        try:
            with self.own_imports():
                self._exact = exact_runs.ExactRun(os.environ)
        except Exception as error:
            # The guarantee was asked for: without it the run must not look as if it had it.
            failure = f"cannot compute exactly: {type(error).__name__}: {error}"
            self._failed(RecordError(failure))
            raise

    def _torch_imported(self) -> None:
        try:
            with self.own_imports():
                if self._plan.cost_steps is None:
                    self._record_torch()
                else:
                    self._measure_cost(self._plan.cost_steps)
        except Exception as error:
            # A torch that cannot be watched must not break the script's own import of it.
            self._failed(RecordError(f"cannot watch torch: {type(error).__name__}: {error}"))

    def _own_names(self) -> OwnNames:
        own = self._ledger.own_names(self._number)
        return replace(own, durations=frozenset(self._printed.durations))

    def _record_torch(self) -> None:
        from samebits.check.record.plan_actions import PlanActions
        from samebits.check.record.recorder import Recorder
        from samebits.check.record.saves import Saves

        self._open_writer()
        if self._writer is None:
            return
        self._saves = Saves(
            self._native,
            lambda: self._steps,
            self._files.saved,
            own=self._own_names,
            is_time=self._ledger.is_time,
            keep_lines=self._plan.keep_text,
        )
        self._saves.hooks.install()
        actions = PlanActions(
            self._process,
            flush=self._flush,
            own_imports=lambda: self.own_imports(),
            leave=self._leave,
            failed=self._failed,
            stepped=self._stepped,
        )
        self._recorder = Recorder(
            self._writer, self._classify, self._plan, native=self._native, events=actions
        )
        self._ledger.torch_imported()
        self._replicas.install()
        self._recorder.start()
        when_joined(self._native, self._joined)
        self._progress.listen()
        actions.start()
        if self._plan.is_further:
            gc.freeze()  # to go through torch's objects at the end takes a third of a second

    def _joined(self, rank: int, world: int) -> None:
        self._journal.note(RANK, str(rank), str(world))
        with contextlib.suppress(OSError):  # then nobody is told how far it has come
            self._progress.begin(self._process.workspace, self._journal.token)

    def _stepped(self, step: int) -> None:
        self._progress.stepped(step)
        self._replicas.stepped(step)

    def _flush(self) -> None:
        if self._recorder is not None:
            self._recorder.flush()

    def _measure_cost(self, steps: int) -> None:
        from samebits.check.record.cost import CostSamples
        from samebits.check.record.cost_files import SCRIPT, CostFiles
        from samebits.check.record.cost_meter import CostMeter

        files = CostFiles(self._process.workspace)

        def done(samples: CostSamples) -> None:
            files.finish(SCRIPT, samples)
            if not files.others_step:
                self._leave("stopped-at-step")

        CostMeter(
            steps,
            done,
            on_begin=lambda: files.begin(SCRIPT, os.environ),
            exact=self._plan.cost_exact,
        ).start()

    def _open_writer_early(self) -> None:
        with self.own_imports():
            self._open_writer()

    def _open_writer(self) -> None:
        from samebits.check.record.facts import first_manifest
        from samebits.check.trace.writer import TraceWriter

        if self._writer is not None or self._finished:
            return
        try:
            self._writer = TraceWriter(self._process.folder, first_manifest(self._process))
        except TraceError as error:
            self._failed(error)
            return
        self._printed.connect(self._write_output)

    def _write_output(self, text: str) -> None:
        if self._writer is None or self._writer.closed:
            return
        try:
            self._writer.append_output(text)
        except TraceError as error:
            self._failed(error)

    def _leave(self, reason: str) -> NoReturn:
        """End the process here: what was asked for is recorded, the rest is not run."""
        self._reason = reason
        self._finish()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        if self._plan.is_further:  # elsewhere threads and processes may still be at work there
            self._temporary.remove(all_of_them=self._plan.removes_temporary_folders)
        with contextlib.suppress(Exception):
            self._hooks.end()  # takes away what a held run has made, as its own end would
        os._exit(0)

    def _hard_exit(self) -> None:
        """The process leaves by `os._exit`, which runs nothing of what else would end a run."""
        if os.getpid() == self._number:
            self._finish()

    def _in_child(self) -> None:
        """In a forked child everything passes through: the run folder is the parent's."""
        self._native.watching = False
        self._files.stop()
        self._finished = True

    def _failed(self, error: SamebitsError) -> None:
        """Report to the launcher; the script goes on, since nothing of this is its fault."""
        with contextlib.suppress(OSError):
            self._process.error_file.write_text(str(error))

    def _finish(self) -> None:
        if self._finished or os.getpid() != self._number:
            return
        if self._values is not None:
            self._notes += self._values.stop()
        modules = list(sys.modules.values())
        with self.own_imports():
            self._complete(modules)
        if self._plan.ends_quickly:
            # The search takes a third of a second among torch's objects. What lies in cycles, as a
            # module's globals do, is not finalized then.
            gc.freeze()
        if getattr(sys, "last_type", None) is KeyboardInterrupt:
            # Python ends itself by SIGINT if this was what ended the code that it ran last, and
            # imports run code of their own.
            with contextlib.suppress(KeyboardInterrupt):
                exec("raise KeyboardInterrupt")

    def _complete(self, modules: Iterable[ModuleType]) -> None:
        recorder, saves = self._recorder, self._saves
        with contextlib.suppress(OSError):
            self._process.acted_file.write_text(json.dumps(self._hooks.acted))
        try:
            # Python notes here what ended the script uncaught; sys.exit is an end like any other.
            if getattr(sys, "last_type", None) is not None and self._reason == "finished":
                self._reason = "exception"
            # Read now, at the end: the script may have changed what was set for it.
            switches = audit(mode="warn", threads=self._plan.pinned_threads).to_json()
            if recorder is not None:
                self._threads.end()
                recorder.stop()
                if recorder.failure is not None:
                    self._failed(recorder.failure)
            self._ledger.stop()
            self._open_writer()
            self._native.watching = False
            if self._writer is None:
                return
            self._files.stop()
            if recorder is not None and recorder.failure is not None:
                self._writer.flush()  # left without its end, the trace reads as cut
                return
            self._writer.close(**self._closing_facts(recorder, saves, switches, modules))
        except SamebitsError as error:
            self._failed(error)
        except Exception as error:
            # Nothing of ours may show at the end of a script that has done nothing wrong.
            self._failed(RecordError(f"the end was not recorded: {type(error).__name__}: {error}"))
        finally:
            self._finished = True

    def _closing_facts(
        self,
        recorder: Recorder | None,
        saves: Saves | None,
        switches: list[Any],
        modules: Iterable[ModuleType],
    ) -> Mapping[str, Any]:
        from samebits.check.record.facts import closing_facts, environment_facts

        notes = list(self._notes)
        if recorder is not None:
            notes += recorder.notes + self._threads.notes
        if saves is not None:
            notes += saves.notes
        seeded = self._hooks.acted.get("seeds", 0) if self._plan.control else 0
        if seeded:
            notes.append(f"{seeded} generators were made without a seed: they were given one each")
        if self._exact is not None:
            notes += self._exact.notes
        own = self._own_names()
        return {
            **closing_facts(
                self._files,
                [] if saves is None else saves.files,
                [] if saves is None else saves.unknown,
                modules,
                self._classify,
                own,
                keep_text=self._plan.keep_text,
                leave_unread=self._plan.leaves_files_unread and self._reason == "stopped-at-row",
            ),
            "environment": environment_facts(packages=not self._plan.is_further),
            "switches": {reading["name"]: reading for reading in switches},
            "exit": {"code": None, "signal": None, "reason": self._reason},
            "seconds": time.monotonic() - self._started,
            "process": self._number,
            "drawn": list(own.drawn),
            "words": list(own.words),
            "spelt": own.spelt,
            "chosen": list(own.chosen),
            "durations": sorted(own.durations),
            **({"printed_by_others": [*lines]} if (lines := self._printed.by_others) else {}),
            "timeline": [
                [steps, rows, round(at - self._started, 3)]
                for steps, rows, at in (recorder.timeline if recorder is not None else ())
            ],
            "counts": {
                "ops": recorder.ops if recorder is not None else 0,
                "steps": recorder.steps if recorder is not None else 0,
            },
            "thread_steps": recorder.thread_steps if recorder is not None else [],
            STEPS_IN_ANY_ORDER: recorder.steps_in_any_order if recorder is not None else [],
            "notes": notes,
            **({"replicas": noted} if (noted := self._replicas.to_json()) else {}),
            **({"temporary_folders": made} if (made := self._temporary.to_json()) else {}),
        }

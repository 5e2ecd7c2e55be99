"""The part that this process has in a run of several: its own starts, and its watcher.

The script's own process has a session and no watcher; every other one has a watcher from its first
line on, or from the fork that made it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from samebits.check.record.ledger.ledger import Ledger
from samebits.check.record.own_imports import OwnImports
from samebits.check.record.processes import between, messages
from samebits.check.record.processes.answered_calls import note_answered_calls
from samebits.check.record.processes.environment import BOOTSTRAP, SEVERAL
from samebits.check.record.processes.inherited_hooks import install_inherited
from samebits.check.record.processes.journal import Journal, journal_path, parse_journal
from samebits.check.record.processes.last_words import LastWords
from samebits.check.record.processes.origin import HELPER, LOADER_WORKER
from samebits.check.record.processes.out_of_sight import OutOfSight
from samebits.check.record.processes.passing import Passing
from samebits.check.record.processes.planned import (
    follows_values,
    made_files_noted,
    process_to_record,
)
from samebits.check.record.processes.standing import tell_where_this_stands
from samebits.check.record.processes.starts import Starts
from samebits.check.record.processes.watcher import Watcher
from samebits.check.record.sources import SourceClassifier
from samebits.check.record.threads.recording import ThreadRecordings
from samebits.core import _native

if TYPE_CHECKING:
    from samebits.check.record.made_files import MadeFiles
    from samebits.check.record.processes.recording import ProcessRecording
    from samebits.check.record.recorder import Recorder
    from samebits.check.record.save_hooks import SaveHooks
    from samebits.check.record.values.tracing import ValuesTrace

_STDOUT = "stdout"


@dataclass(frozen=True)
class Parts:
    """What a process records itself with, and what those that it forks go on with.

    Attributes:
        native: The native recorder.
        ledger: The ledger.
        classify: Tells user code from libraries.
        own_imports: What samebits' own imports have to lie in.
        recorder: Gives the recorder; None before torch is imported.
        save_hooks: Gives what hears of saves; None before torch is imported.
    """

    native: _native.Recorder
    ledger: Ledger
    classify: SourceClassifier
    own_imports: Callable[[], AbstractContextManager[None]]
    recorder: Callable[[], Recorder | None]
    save_hooks: Callable[[], SaveHooks | None] = lambda: None


class Here:
    """Follows what this process starts, and records it where it is not the script's own.

    Args:
        workspace: The run's folder for its processes.
        starts: Notes what is started.
        stdout: Device and file number of the run's standard output.
        parts: What to record with.

    Attributes:
        last_words: Notes the exception that ends this process.
        threads: Records the threads that this process starts.
    """

    def __init__(
        self, workspace: str, starts: Starts, stdout: tuple[int, int] | None, parts: Parts
    ) -> None:
        self._workspace = workspace
        self._starts = starts
        self._stdout = stdout
        self._parts = parts
        self._recording: ProcessRecording | None = None
        self._values: ValuesTrace | None = None
        self._made: MadeFiles | None = None
        self.last_words = LastWords(
            lambda *words: self._starts.journal.note(*words), parts.classify.is_user
        )
        self.threads = ThreadRecordings(
            workspace,
            starts.journal,
            native=parts.native,
            classify=parts.classify,
            own_imports=parts.own_imports,
            recorder=lambda: self._recorder,
        )
        self._passing = Passing(lambda: self._recorder, self.threads.piped_here, self.flush)

    def install(self) -> None:
        """Hear of everything that is started, forked or sent from now on."""
        between.install(self._starts)
        self.last_words.install()
        tell_where_this_stands(self._workspace)
        self.threads.install()
        messages.install(self._passing)
        note_answered_calls(self._parts.native, lambda: self._starts.journal)
        os.register_at_fork(
            before=self._starts.forking,
            after_in_parent=self._starts.forked,
            after_in_child=self._in_child,
        )

    def watch(self) -> None:
        """Watch this process, and record it once it has imported torch."""
        inherited, hooks = self._recorder, self._save_hooks
        self._recording = None
        if self._made is None:
            self._made = made_files_noted(self._workspace)
        Watcher(
            self._starts.journal,
            self._stdout,
            lambda: self._begin_recording(inherited, hooks),
            None if self._made is None else self._made.saved,
            lambda: None if self._recording is None else self._recording.saved_values,
        ).begin()

    def _begin_recording(self, inherited: Recorder | None, hooks: SaveHooks | None) -> bool:
        """Record this process, whose torch is imported; whether each operation is from here on."""
        # Imported now: most processes never come here, and it takes longer than their start.
        from samebits.check.record.deterministic import make_deterministic
        from samebits.check.record.processes.recording import ProcessRecording

        process = process_to_record(self._workspace, self._starts.token)
        if process is None:
            return False
        if process.plan.cost_steps is not None:
            with self._parts.own_imports():
                from samebits.check.record.processes.cost_here import time_steps_here

                time_steps_here(process, self._starts.journal, self._parts.native)
            return False
        self._parts.ledger.belongs_to(self._starts.token)
        self._recording = ProcessRecording(
            process,
            self._starts.journal,
            native=self._parts.native,
            ledger=self._parts.ledger,
            classify=self._parts.classify,
            own_imports=self._parts.own_imports,
            inherited=inherited,
            save_hooks=hooks,
            values=self._values,
            before_end=self.threads.end,
        )
        each_operation = self._recording.begin()
        if inherited is None:  # a forked process has its parent's switches
            make_deterministic(process.plan)
        return each_operation

    def follow_values(self) -> None:
        """Follow the variables of this process, where asked for; nothing of ours runs after it."""
        token = self._starts.token
        process = None
        if follows_values(self._workspace, token):
            process = process_to_record(self._workspace, token)
        if process is not None:
            from samebits.check.record.values.tracing import ValuesTrace

            parts = self._parts
            self._values = ValuesTrace(
                process.folder, parts.classify, parts.native, process.plan.values_limit
            )
            self._values.start()

    def flush(self) -> None:
        """Somebody is about to hear of what this process has computed."""
        if self._recording is not None:
            self._recording.flush()
        self.threads.flush()

    @property
    def _recorder(self) -> Recorder | None:
        if self._recording is not None:
            return self._recording.recorder
        return self._parts.recorder()

    @property
    def _save_hooks(self) -> SaveHooks | None:
        if self._recording is not None:
            return self._recording.save_hooks
        return self._parts.save_hooks()

    def _in_child(self) -> None:
        recorder = self._recorder
        if recorder is not None:
            recorder.abandon()
        where = self._starts.in_child()
        self.threads.restart(self._starts.journal)
        self._passing.restart()
        if where is not None and where.role not in (LOADER_WORKER, HELPER):
            self._values = None
            tell_where_this_stands(self._workspace)
            self.watch()
            self.follow_values()
        else:
            self._passing.end()


def begin_in_script(workspace: str, parts: Parts) -> tuple[ThreadRecordings, Journal]:
    """In the script's own process: note what it starts, and record what it forks.

    Args:
        workspace: The run's folder for its processes.
        parts: What the script's own process is recorded with.

    Returns:
        What records its threads, and its journal.
    """
    starts = Starts(workspace, "0", parts.classify.is_user, lambda: parts.native.total_rows)
    stdout = _identity_of_stdout()
    if stdout is not None:
        starts.journal.note(_STDOUT, *map(str, stdout))
    here = Here(workspace, starts, stdout, parts)
    here.install()
    return here.threads, starts.journal


def begin_in_child(place: str, before: set[str], folders: list[str]) -> None:
    """In a Python process that another one of the run has started.

    Args:
        place: The workspace, and in it the token, as the environment said.
        before: Names of the modules that were loaded before samebits.
        folders: The entries of the process's own PYTHONPATH.
    """
    workspace, token = os.path.split(place)
    classify = SourceClassifier()
    native = _native.Recorder()
    starts = Starts(
        workspace, _free_token(workspace, token), classify.is_user, lambda: native.total_rows
    )
    native.watching = True
    native.classify(classify)
    ledger = Ledger(native, Path(workspace), token=starts.token)
    ledger.start()
    own: list[OwnImports] = []
    parts = Parts(native, ledger, classify, lambda: own[0](), lambda: None)
    here = Here(workspace, starts, _stdout_of_run(workspace), parts)
    here.install()
    here.watch()
    install_inherited(workspace, starts.token, classify.is_user)
    # What the program has of the same names.
    own.append(OwnImports([_program_folder(), *folders], before))
    OutOfSight(before, os.path.join(BOOTSTRAP, "sitecustomize.py"))
    here.follow_values()


def _program_folder() -> str:
    """Where the process's own modules lie."""
    for word in sys.orig_argv[1:]:
        if not word.startswith("-"):
            return os.path.dirname(os.path.abspath(word))
        if word in ("-c", "-m"):
            break
    return os.getcwd()


def _free_token(workspace: str, token: str) -> str:
    """A token of its own for each of several programs that a shell starts under one token."""
    name, several, _ = token.partition(SEVERAL)
    for number in range(1 if several else 0, 1000):
        candidate = f"{name}{SEVERAL}{number}" if number else name
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        try:
            os.close(os.open(journal_path(workspace, candidate), flags, 0o600))
        except FileExistsError:
            continue
        except OSError:
            break
        return candidate
    return token


def _identity_of_stdout() -> tuple[int, int] | None:
    try:
        found = os.fstat(sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):
        return None
    return found.st_dev, found.st_ino


def _stdout_of_run(workspace: str) -> tuple[int, int] | None:
    try:
        with open(journal_path(workspace, "0"), "rb") as file:
            events = parse_journal(file.read(4096))
    except OSError:
        return None
    for event, *fields in events:
        if event == _STDOUT and len(fields) == 2:
            return int(fields[0]), int(fields[1])
    return None

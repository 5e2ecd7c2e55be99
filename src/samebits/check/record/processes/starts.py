"""Hears of each process that this one starts, names it, and gets a watcher into it.

A process is called by a token that says who started it, and as which: "0.3.1" is the first one that
the third of the script's own process has started. What stands in front of the functions that start
processes is in `samebits.check.record.processes.between`.
"""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import sys
from _thread import get_ident
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from samebits.check.record.processes.environment import SEVERAL, from_entries, to_entries, watched
from samebits.check.record.processes.journal import Journal, journal_path
from samebits.check.record.processes.origin import (
    HELPER,
    LOADER_WORKER,
    ONLY_ASKING,
    SHELLS,
    Origin,
    is_python,
    leaves_environment_alone,
    origin,
    program_name,
    started_in_a_container,
)
from samebits.check.record.processes.standing import ask, tell_where_this_stands, tells_no_more

_SYSTEM = ("/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/lib", "/opt", "/snap")
"""Folders of programs that are no part of the script."""
EXEC = "exec"
"""The event that says that another program takes a process's place, with its name and kind."""
BECOMES = "becomes"
"""The same of the script's own process, with the program's name, and the file and line."""
EXEC_FAILED = "exec-failed"
"""The event that says that the latest of these did not happen."""

_ENVIRONMENT = 5  # the position of the environment among the arguments of fork_exec
_EXECUTABLES = 1
_STDOUT = 9
_ENDING = (signal.SIGTERM, signal.SIGKILL)


class Starts:
    """Notes what this process starts.

    Args:
        workspace: The folder of the journals.
        token: What this process is called; "0" is the script's own.
        is_user: Tells the script's own files.
        rows: Gives the number of operations that this process has recorded so far.
    """

    def __init__(
        self,
        workspace: str,
        token: str,
        is_user: Callable[[str], bool],
        rows: Callable[[], int] = lambda: 0,
    ) -> None:
        self._workspace = workspace
        self._is_user = is_user
        self._rows = rows
        self._forking: dict[int, tuple[str, Origin] | None] = {}
        self._become(token)

    def _become(self, token: str) -> None:
        self.token = token
        self.journal = Journal(journal_path(self._workspace, token))
        self._count = 0

    def forking(self) -> None:
        """Before a fork, in the parent."""
        here = get_ident()
        if here not in self._forking:  # fork_exec has its own name for the process
            self._forking[here] = self._named("os.fork")

    def forked(self) -> None:
        """After a fork, in the parent."""
        self._forking.pop(get_ident(), None)

    def in_child(self) -> Origin | None:
        """After a fork, in the child: go on under its own token.

        Returns:
            Where the child comes from; None where it will be another program at once.
        """
        named = self._forking.get(get_ident())
        self._forking.clear()
        if named is None:
            return None
        token, where = named
        self._become(token)
        if where.role not in (LOADER_WORKER, HELPER):
            self._note(token, where, "fork", "fork")
            self.journal.note("pid", token, str(os.getpid()))
        return where

    def _named(self, otherwise: str) -> tuple[str, Origin]:
        self._count += 1
        return f"{self.token}.{self._count}", origin(self._is_user, otherwise)

    def _note(self, token: str, where: Origin, program: str, kind: str) -> None:
        fields = (where.via, where.role, where.file, str(where.line), program, kind)
        self.journal.note("start", token, *fields, str(self._rows()))

    def _started(self, arguments: Sequence[Any], program: Any, otherwise: str) -> tuple[str, bool]:
        """Name a process that is about to be started; whether a watcher should get into it."""
        token, where = self._named(otherwise)
        words = [os.fsdecode(w) for w in arguments if isinstance(w, str | bytes | os.PathLike)]
        found = os.fsdecode(program) if isinstance(program, str | bytes | os.PathLike) else ""
        kind, let_in = _kind(words or [found], found)
        name = program_name(words)
        if where.role in (LOADER_WORKER, HELPER) or name in ONLY_ASKING:
            return token, False
        self._note(token, where, name, kind)
        return token, let_in

    def _watched(
        self, before: Mapping[bytes, bytes], token: str, arguments: Sequence[Any]
    ) -> dict[bytes, bytes]:
        words = [os.fsdecode(word) for word in arguments]
        name = token if is_python(words) else token + SEVERAL
        return watched(before, self._workspace, name)

    def before_fork_exec(self, args: tuple[Any, ...]) -> tuple[list[Any], str]:
        """The arguments that `fork_exec` is to be called with, and the token; "" without one."""
        self._forking[get_ident()] = None
        try:
            given = list(args)
            program = next(filter(os.path.exists, given[_EXECUTABLES]), b"")
            token, let_in = self._started(given[0], program, "subprocess")
            if let_in:
                entries = given[_ENVIRONMENT]
                before = dict(os.environb) if entries is None else from_entries(entries)
                given[_ENVIRONMENT] = to_entries(self._watched(before, token, given[0]))
        except Exception:
            return list(args), ""  # odd arguments: it is for the original to say so
        self._writes_into(token, given[_STDOUT])
        return given, token

    def after_fork_exec(self) -> None:
        """Once `fork_exec` has returned, or failed."""
        self._forking.pop(get_ident(), None)

    def before_spawn(self, path: Any, argv: Any, env: Any) -> tuple[Any, str]:
        """The environment that `posix_spawn` is to be called with, and the token."""
        try:
            token, let_in = self._started(list(argv), path, "os.posix_spawn")
            return (self._watched(_in_bytes(env), token, list(argv)) if let_in else env), token
        except Exception:
            return env, ""

    def began(self, token: str, pid: int) -> None:
        """A process is there."""
        if token:
            self.journal.note("pid", token, str(pid))

    @contextlib.contextmanager
    def around_shell(self, command: Any) -> Iterator[Callable[[int], None]]:
        """While a shell is started by the C library, which hands on the process's own variables."""
        words = ["sh", "-c", *([command] if isinstance(command, str | bytes) else [])]
        token, _ = self._started(words, "sh", "os.system")
        before = dict(os.environb)
        after = self._watched(before, token, ["sh"])
        changed = [name for name in after if before.get(name) != after[name]]
        for name in changed:
            os.putenv(name, after[name])
        try:
            yield lambda status: self.journal.note("ended", token, str(status))
        finally:
            for name in changed:
                if name in before:
                    os.putenv(name, before[name])
                else:
                    os.unsetenv(name)

    def for_exec(self, path: Any, argv: Any, env: Any) -> Any:
        """The environment of a program that takes this process's place."""
        try:
            words = [os.fsdecode(word) for word in argv]
            kind, let_in = _kind(words, os.fsdecode(path))
            if self.token == "0":
                # The script leaves its own process behind, and the recording with it.
                if let_in or kind == "python-alone":
                    where = origin(self._is_user, "os.exec")
                    self.journal.note(BECOMES, program_name(words), where.file, str(where.line))
                return env
            self.journal.note(EXEC, program_name(words), kind)
            tells_no_more(self._workspace)
            return watched(_in_bytes(env), self._workspace, self.token) if let_in else env
        except Exception:
            return env

    def exec_failed(self) -> None:
        """There is no such program, and this process goes on."""
        self.journal.note(EXEC_FAILED)
        if self.token != "0":
            tell_where_this_stands(self._workspace)

    def signals(self, pid: Any, number: Any) -> None:
        """This process is about to send another one, or a group of them, a signal."""
        if number in _ENDING and isinstance(pid, int) and pid != os.getpid():
            self.journal.note("signals", str(pid))
            ask(self._workspace, [pid])

    def ended(self, pid: int, status: int) -> None:
        """Somebody was told how a process has ended."""
        if pid > 0 and not os.WIFSTOPPED(status) and not os.WIFCONTINUED(status):
            self.journal.note("end", str(pid), str(status))

    def _writes_into(self, token: str, descriptor: int) -> None:
        """A file that the process is given for its standard output is written by it."""
        with contextlib.suppress(Exception):
            if descriptor > 2 and stat.S_ISREG(os.fstat(descriptor).st_mode):
                path = str(Path(f"/proc/self/fd/{descriptor}").readlink())
                begin = os.lseek(descriptor, 0, os.SEEK_CUR)
                self.journal.note("gives", token, str(begin), path)


def _kind(words: Sequence[str], program: str) -> tuple[str, bool]:
    """What a command is, and whether a watcher may get into it or into what it starts.

    The system's own programs are left alone: what they read of their environment is theirs.
    """
    if is_python(words) or (program and is_python([program])):
        return ("python-alone", False) if leaves_environment_alone(words) else ("python", True)
    name = Path(words[0]).name
    is_shell = name in SHELLS or name.endswith(".sh")
    if started_in_a_container(words):
        return "container", is_shell  # in there it sees neither the environment nor the journals
    if is_shell:
        return "shell", True
    folder = os.path.dirname(program)
    if name.endswith(".py") or folder == os.path.dirname(sys.executable):
        return "python", True
    return "program", bool(folder) and not folder.startswith(_SYSTEM)


def _in_bytes(environment: Mapping[Any, Any]) -> dict[bytes, bytes]:
    return {os.fsencode(name): os.fsencode(value) for name, value in environment.items()}

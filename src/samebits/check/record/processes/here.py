"""The part that this process has in a run of several: its own starts, and its watcher.

The script's own process has a session and no watcher; every other one has a watcher from its first
line on, or from the fork that made it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from samebits.check.record.own_imports import OwnImports
from samebits.check.record.processes.between import install
from samebits.check.record.processes.environment import BOOTSTRAP, SEVERAL
from samebits.check.record.processes.inherited_hooks import install_inherited
from samebits.check.record.processes.journal import journal_path, parse_journal
from samebits.check.record.processes.origin import HELPER, LOADER_WORKER
from samebits.check.record.processes.out_of_sight import OutOfSight
from samebits.check.record.processes.starts import Starts
from samebits.check.record.processes.watcher import Watcher

_STDOUT = "stdout"


def begin_in_script(workspace: str, is_user: Callable[[str], bool]) -> None:
    """In the script's own process: note what it starts, and watch what it forks."""
    starts = Starts(workspace, "0", is_user)
    stdout = _identity_of_stdout()
    if stdout is not None:
        starts.journal.note(_STDOUT, *map(str, stdout))
    _install(starts, stdout)


def begin_in_child(place: str, before: set[str], folders: list[str]) -> None:
    """In a Python process that another one of the run has started.

    Args:
        place: The workspace, and in it the token, as the environment said.
        before: Names of the modules that were loaded before samebits.
        folders: The entries of the process's own PYTHONPATH.
    """
    from samebits.check.record.sources import SourceClassifier

    workspace, token = os.path.split(place)
    is_user = SourceClassifier().is_user
    starts = Starts(workspace, _free_token(workspace, token), is_user)
    stdout = _stdout_of_run(workspace)
    _install(starts, stdout)
    Watcher(starts.journal, stdout).begin()
    install_inherited(workspace, starts.token, is_user)
    OwnImports([_program_folder(), *folders], before)  # what the program has of the same names
    OutOfSight(before, os.path.join(BOOTSTRAP, "sitecustomize.py"))


def _program_folder() -> str:
    """Where the process's own modules lie."""
    for word in sys.orig_argv[1:]:
        if not word.startswith("-"):
            return os.path.dirname(os.path.abspath(word))
        if word in ("-c", "-m"):
            break
    return os.getcwd()


def _install(starts: Starts, stdout: tuple[int, int] | None) -> None:
    install(starts)

    def in_child() -> None:
        where = starts.in_child()
        if where is not None and where.role not in (LOADER_WORKER, HELPER):
            Watcher(starts.journal, stdout).begin()

    os.register_at_fork(
        before=starts.forking, after_in_parent=starts.forked, after_in_child=in_child
    )


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

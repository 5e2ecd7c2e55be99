"""Stands in front of the functions that start processes and wait for them.

They are replaced where Python looks them up. What they are given and what they return stays what it
is, but for the environment of a Python process, from which its watcher takes itself out again. The
ledger takes the frames of this module for not there (see `samebits.check.record.sources`): nothing
else may be done here.
"""

from __future__ import annotations

import _posixsubprocess
import functools
import os
import subprocess
from collections.abc import Callable
from typing import Any

from samebits.check.record.processes.starts import Starts


def install(starts: Starts) -> None:
    """Put the functions in place, for as long as the process lives."""
    python: Any = os
    fork_exec = _around_fork_exec(_posixsubprocess.fork_exec, starts)
    _posixsubprocess.fork_exec = fork_exec
    if hasattr(subprocess, "_fork_exec"):  # since Python 3.11
        subprocess._fork_exec = fork_exec
    for name in ("posix_spawn", "posix_spawnp"):
        if hasattr(os, name):
            setattr(os, name, _around_spawn(getattr(os, name), starts))
    python.system = _around_system(os.system, starts)
    execve = python.execve = _around_execve(os.execve, starts)
    python.execv = _around_execv(os.execv, execve, starts)
    for name in ("kill", "killpg"):
        setattr(os, name, _around_kill(getattr(os, name), starts))
    for name in ("waitpid", "wait", "wait3", "wait4"):
        setattr(os, name, _around_wait(getattr(os, name), starts))
    popen: Any = subprocess.Popen
    popen._handle_exitstatus = _around_ending(popen._handle_exitstatus, starts)


def _around_fork_exec(original: Callable[..., int], starts: Starts) -> Callable[..., int]:
    @functools.wraps(original)
    def fork_exec(*args: Any) -> int:
        given, token = starts.before_fork_exec(args)
        try:
            pid = original(*given)
        finally:
            starts.after_fork_exec()
        starts.began(token, pid)
        return pid

    return fork_exec


def _around_spawn(original: Callable[..., int], starts: Starts) -> Callable[..., int]:
    @functools.wraps(original)
    def posix_spawn(path: Any, argv: Any, env: Any, **options: Any) -> int:
        env, token = starts.before_spawn(path, argv, env)
        pid = original(path, argv, env, **options)
        starts.began(token, pid)
        return pid

    return posix_spawn


def _around_system(original: Callable[[Any], int], starts: Starts) -> Callable[[Any], int]:
    @functools.wraps(original)
    def system(command: Any) -> int:
        with starts.around_shell(command) as ended:
            status = original(command)
            ended(status)
        return status

    return system


def _around_execve(original: Callable[..., Any], starts: Starts) -> Callable[..., Any]:
    @functools.wraps(original)
    def execve(path: Any, argv: Any, env: Any) -> Any:
        given = starts.for_exec(path, argv, env)
        try:
            return original(path, argv, given)
        except Exception:  # of the folders of PATH, each is tried
            starts.exec_failed()
            raise

    return execve


def _around_execv(
    original: Callable[..., Any], execve: Callable[..., Any], starts: Starts
) -> Callable[..., Any]:
    @functools.wraps(original)
    def execv(path: Any, argv: Any) -> Any:
        if starts.token != "0":
            return execve(path, argv, os.environ)
        starts.for_exec(path, argv, {})
        try:
            return original(path, argv)
        except Exception:
            starts.exec_failed()
            raise

    return execv


def _around_wait(original: Callable[..., Any], starts: Starts) -> Callable[..., Any]:
    @functools.wraps(original)
    def wait(*args: Any, **kwargs: Any) -> Any:
        result = original(*args, **kwargs)
        starts.ended(result[0], result[1])
        return result

    return wait


def _around_kill(original: Callable[[int, int], None], starts: Starts) -> Callable[..., None]:
    @functools.wraps(original)
    def kill(pid: int, sig: int, /) -> None:
        starts.signals(pid, sig)
        original(pid, sig)

    return kill


def _around_ending(original: Callable[..., Any], starts: Starts) -> Callable[..., Any]:
    @functools.wraps(original)
    def _handle_exitstatus(popen: Any, sts: int, *args: Any, **kwargs: Any) -> Any:
        starts.ended(popen.pid, sts)
        return original(popen, sts, *args, **kwargs)

    return _handle_exitstatus

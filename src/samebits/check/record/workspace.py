"""The private folder that launcher and recorded process share, and what killed launchers left.

A launcher that is killed by SIGKILL removes nothing. Each folder says whose it is: its launcher
holds a lock on the file `owner`, which the kernel takes away when the process is gone however it
ended, and writes into it which process it has started.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # no such locks on this system: nothing is cleaned there
    fcntl = None  # type: ignore[assignment]

_PREFIX = "samebits-"
_OWNER = "owner"


class Workspace:
    """A folder with its lock.

    Attributes:
        path: The folder.
    """

    def __init__(self, path: str, lock: int) -> None:
        self.path = path
        self._lock = lock

    def used_by(self, process: int) -> None:
        """Note the process that writes into the folder, which may outlive this one."""
        facts = {"process": process, "started": _started(process), "where": _where()}
        with contextlib.suppress(OSError):
            os.pwrite(self._lock, json.dumps(facts).encode(), 0)


@contextlib.contextmanager
def workspace() -> Iterator[Workspace]:
    """A new folder that lasts as long as the block."""
    _sweep_once(tempfile.gettempdir())
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as path:
        # Not inherited by what is executed: the lock ends with this process.
        lock = os.open(Path(path, _OWNER), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            if fcntl is not None:
                with contextlib.suppress(OSError):  # a file system without locks
                    fcntl.flock(lock, fcntl.LOCK_EX)
            yield Workspace(path, lock)
        finally:
            os.close(lock)


@functools.cache
def _sweep_once(folder: str) -> None:
    sweep(folder)


def sweep(folder: str) -> list[str]:
    """Remove folders whose launcher and whose process are both gone; others are left alone.

    Args:
        folder: Where they lie.

    Returns:
        Those that were removed.
    """
    try:
        paths = [path for path in Path(folder).iterdir() if path.name.startswith(_PREFIX)]
    except OSError:
        return []
    removed = []
    for path in paths:
        with contextlib.suppress(OSError):
            if _is_orphaned(path):
                shutil.rmtree(path, ignore_errors=True)
                removed.append(str(path))
    return removed


def _is_orphaned(path: Path) -> bool:
    found = path.lstat()
    if fcntl is None or not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        return False
    lock = os.open(path / _OWNER, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        if not stat.S_ISREG(os.fstat(lock).st_mode):
            return False
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # an OSError where its launcher lives
        content = os.read(lock, 4096)
        if not content:
            # Killed before it had started anything; or it is being made at this moment.
            return _is_old(found)
        facts = json.loads(content)
        # Numbers of processes mean something only on the machine and in the container they are of.
        here = isinstance(facts, dict) and facts.get("where") == _where() != ""
        started = _started(int(facts["process"]))
        return here and (not started or started != facts["started"])
    except (ValueError, KeyError, TypeError):
        return False
    finally:
        os.close(lock)


def _is_old(found: os.stat_result) -> bool:
    """Whether a folder was made more than an hour ago: no launcher takes that long to begin."""
    return time.time() - found.st_mtime > 3600


def _started(process: int) -> str:
    """When a process started, in ticks since the machine did; "" where there is none."""
    try:
        content = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return ""
    return content.rpartition(")")[2].split()[19]


@functools.cache
def _where() -> str:
    """This boot of this machine, and the space that its processes are numbered in."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {Path('/proc/self/ns/pid').stat().st_ino}"
    except OSError:
        return ""

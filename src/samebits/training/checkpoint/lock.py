"""One writer a folder: among processes by a lock of the system, within one by a register.

The lock belongs to an open file, not to a process: copying the folder, which opens and closes the
lock's file, does not let it go, as it would a record lock. A forked child shares that open file;
it closes its copy at once, so that loader workers that outlive a killed process hold nothing.
"""

from __future__ import annotations

import itertools
import os
import threading
import weakref
from pathlib import Path
from typing import Any

from samebits.core.names import printable
from samebits.errors import CheckpointError

try:
    import fcntl
except ImportError:  # not on POSIX: two processes are then not noticed
    fcntl = None  # type: ignore[assignment]

LOCK_FILE = ".lock"

_numbers = itertools.count(1)


class Claim:
    """What this process holds of a folder.

    Attributes:
        busy: Names in the folder that a write under way needs; a write that a signal handler
            began in the middle of it leaves them alone.
        latest: The checkpoint that was last made the latest.
    """

    def __init__(self) -> None:
        self.busy: set[str] = set()
        self.latest = ""
        # A signal handler of the thread that writes may write, other threads may not.
        self.turn = threading.RLock()
        self._descriptor: int | None = None
        self._owner: weakref.ref[Any] | None = None
        self._earlier: weakref.WeakSet[Any] = weakref.WeakSet()

    def give_to(self, owner: Any, path: Path) -> None:
        """Let an object be the one that writes, and take the folder's lock.

        Raises:
            CheckpointError: It was the one, and another has begun to write since; or another
                process writes.
        """
        current = None if self._owner is None else self._owner()
        if current is not owner:
            if owner in self._earlier:
                raise CheckpointError(
                    f"another Checkpoint of this process writes into {printable(str(path))} now",
                    hint="Give each of them a folder of its own, or go on with the newer one.",
                )
            if current is not None:
                self._earlier.add(current)
            self._owner = weakref.ref(owner, self._let_go)
        self._lock(path)

    def _lock(self, path: Path) -> None:
        if fcntl is None:
            return
        file = path / LOCK_FILE
        if self._descriptor is None or not _is_same(self._descriptor, file):
            self.close()
            self._descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            # Also where it is held: network file systems lose it as record locks are lost.
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError) as error:
            self.close()
            raise CheckpointError(
                f"another process writes checkpoints into {printable(str(path))}",
                hint="Give each run a folder of its own, or end the other one.",
            ) from error
        except OSError:
            pass  # a file system without locks

    def _let_go(self, owner: weakref.ref[Any]) -> None:
        if self._owner is owner:
            self.close()

    def close(self) -> None:
        """Let the lock go."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)


_claims: dict[tuple[int, int], Claim] = {}


def claim_of(path: Path) -> Claim:
    """What this process holds, or will hold, of a folder; makes the folder.

    Take its `turn`, and `give_to` who writes, before anything is written. The process keeps the
    folder until that object is gone. A newer object of the same process takes over, as when a cell
    of a notebook is run again; the one before it can then write no more.

    Raises:
        OSError: The folder cannot be made or read.
    """
    path.mkdir(parents=True, exist_ok=True)
    status = path.stat()
    return _claims.setdefault((status.st_dev, status.st_ino), Claim())


def own_name(name: str, what: str) -> str:
    """A name for something unfinished that nothing else in the folder has."""
    return f".{name}.{os.getpid()}-{next(_numbers)}.{what}"


def _is_same(descriptor: int, file: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), file.stat())
    except OSError:
        return False


def _forget() -> None:
    """In a forked child: the folders are the parent's, and so is the thread that holds a turn."""
    for claim in _claims.values():
        claim.close()
    _claims.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)

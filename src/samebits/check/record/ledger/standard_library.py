"""What the standard library offers of random numbers, entropy, time and order."""

from __future__ import annotations

# Imported before anything of ours registers what it does after a fork: `random` seeds its generator
# anew in a forked child, and that must come first, for a child that is given a seed to keep it.
import random  # noqa: F401
import sys

from samebits.check.record.ledger.watching import Meaning, Slot, Watching
from samebits.core.on_import import when_imported

_CLOCKS = (
    *("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns"),
    *("process_time", "process_time_ns", "thread_time", "thread_time_ns"),
    *("clock_gettime", "clock_gettime_ns"),
    *("gmtime", "localtime", "ctime", "asctime", "strftime"),
)


def watch_standard_library(watching: Watching) -> None:
    """Watch what is there from the start, and the rest when the script imports it."""
    _watch_random(watching)
    _watch_system(watching)
    _watch_clocks(watching)
    import builtins

    watching.function(builtins, "hash", Meaning.HASH, "hash", "hash")
    when_imported("_socket", lambda: _watch_sockets(watching))
    when_imported("uuid", lambda: _watch_uuid(watching))
    when_imported("datetime", lambda: _watch_dates(watching))


def _watch_random(watching: Watching) -> None:
    import _random

    base = _random.Random
    watching.function(base, "random", Meaning.PYTHON_DRAW, "python", "random.random")
    watching.function(base, "getrandbits", Meaning.PYTHON_DRAW, "python", "random.getrandbits")
    watching.function(base, "seed", Meaning.SEED, "python", "random.seed")
    watching.function(base, "getstate", Meaning.STATE, "python", "random.getstate")
    watching.function(base, "setstate", Meaning.RESTORE, "python", "random.setstate")

    def name_shared() -> None:
        # A script may have a module of this name of its own.
        watching.shared(getattr(sys.modules["random"], "_inst", None), "python")

    when_imported("random", name_shared)


def _watch_system(watching: Watching) -> None:
    import _posixsubprocess
    import _thread
    import os
    import posix

    watching.function(posix, "urandom", Meaning.BYTES, "urandom", "os.urandom")
    watching.function(posix, "getrandom", Meaning.BYTES, "urandom", "os.getrandom")
    watching.function(posix, "getpid", Meaning.PID, "pid", "os.getpid")
    watching.function(posix, "getppid", Meaning.PID, "pid", "os.getppid")
    for name in ("start_new_thread", "start_joinable_thread"):
        watching.function(_thread, name, Meaning.THREAD, "thread", name)
    # subprocess and multiprocessing both start programs by it.
    watching.function(_posixsubprocess, "fork_exec", Meaning.PROGRAM, "process", "fork_exec")
    with os.scandir("/") as entries:
        iterator = type(entries)
    watching.type_slot(iterator, Slot.NEXT, Meaning.SCAN_NEXT, "listing", "os.scandir")
    for name in ("stat", "lstat", "fstat"):
        watching.function(posix, name, Meaning.FILE_TIME, "clock", f"os.{name}")
    entry = getattr(posix, "DirEntry", None)
    if entry is not None:
        watching.function(entry, "stat", Meaning.FILE_TIME, "clock", "os.DirEntry.stat")
    watching.function(posix, "listdir", Meaning.LIST, "listing", "os.listdir")
    watching.function(posix, "scandir", Meaning.SCAN, "listing", "os.scandir")


def _watch_clocks(watching: Watching) -> None:
    import time

    for name in _CLOCKS:
        watching.function(time, name, Meaning.CLOCK, "clock", f"time.{name}")


def _watch_dates(watching: Watching) -> None:
    module = sys.modules["datetime"]
    for kind, names in (("datetime", ("now", "utcnow")), ("date", ("today",))):
        owner = getattr(module, kind, None)
        if isinstance(owner, type):
            for name in names:
                watching.function(owner, name, Meaning.CLOCK, "clock", f"datetime.{kind}.{name}")


def _watch_sockets(watching: Watching) -> None:
    # socket.socket and all that is made of it bind by the method of the class in C.
    kind = getattr(sys.modules["_socket"], "socket", None)
    if isinstance(kind, type):
        watching.function(kind, "bind", Meaning.PORT, "port", "socket.bind")


def _watch_uuid(watching: Watching) -> None:
    # uuid1 asks a function of C for its bytes; uuid4 asks os.urandom.
    made = getattr(sys.modules["uuid"], "_generate_time_safe", None)
    if made is not None:
        watching.function(
            sys.modules["uuid"], "_generate_time_safe", Meaning.BYTES, "uuid", "uuid.uuid1"
        )

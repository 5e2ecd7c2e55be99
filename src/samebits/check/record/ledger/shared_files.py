"""Files that a dataset holds open, or has mapped, while a loader forks its workers.

They share the position in a file that is open, and what any of them writes to a map.
"""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from samebits.check.record.function_hooks import CALL, hook_function
from samebits.check.record.ledger.watching import Watching, event_code, source_code
from samebits.core import _native
from samebits.core.on_import import when_imported

_LOADER = "torch.utils.data.dataloader"
_DEEPEST = 5
_MOST_ELEMENTS = 16
"""Elements of a container that are looked into: a list of samples may be long."""


def watch_shared_files(watching: Watching, recorder: _native.Recorder) -> None:
    """Note which open file the workers of a loader get, where there are several.

    What a lock goes with is left out, since they may take turns.

    Args:
        watching: The ledger's watches.
        recorder: The process's recorder.
    """
    source = source_code("shared-file")

    def started(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        loader = args[1] if len(args) > 1 else kwargs.get("loader")
        workers = int(getattr(loader, "num_workers", 0))
        if workers < 2 or not _forks(loader):
            return
        held = list(_held(getattr(loader, "dataset", None), "", 0, set()))
        if any(one is _LOCK for one in held):
            return
        for one in dict.fromkeys(held):
            code = event_code(one.event)
            watching.native.note(source, code, one.name, amount=workers)

    def listen() -> None:
        loading = getattr(sys.modules[_LOADER], "_MultiProcessingDataLoaderIter", None)
        if loading is not None:
            watching.undo_with(hook_function(recorder, loading, "__init__", CALL, started))

    when_imported(_LOADER, listen)


def _forks(loader: Any) -> bool:
    context = getattr(loader, "multiprocessing_context", None) or sys.modules["multiprocessing"]
    return bool(context.get_start_method() == "fork")


class _HeldFile(NamedTuple):
    """A file that an object holds.

    Attributes:
        name: As "Readings.stream"; "" for a lock.
        event: "read" where it is open, "write" where it is mapped and may be written to.
    """

    name: str
    event: str


_LOCK = _HeldFile("", "")


def _held(given: Any, name: str, depth: int, seen: set[int]) -> Iterator[_HeldFile]:
    """Files and locks in an object: in its own dict, and in plain dicts, lists and tuples.

    Nothing of the script's is called for it, such as what a mapping of its own does.
    """
    kind = type(given)
    if depth > _DEEPEST or id(given) in seen or issubclass(kind, type):
        return
    seen.add(id(given))
    if kind.__module__ == "multiprocessing.synchronize":
        yield _LOCK
    elif _is_open(given, kind):
        if name:
            yield _HeldFile(name, "read")
    elif _is_mapped(given, kind):
        if name:
            yield _HeldFile(name, "write")
    elif kind in (dict, list, tuple):
        values = given.values() if kind is dict else given
        for value in list(islice(values, _MOST_ELEMENTS)):
            yield from _held(value, name, depth + 1, seen)
    else:
        try:
            own = dict(object.__getattribute__(given, "__dict__"))
        except (AttributeError, TypeError):
            return
        for attribute, value in own.items():
            yield from _held(value, f"{kind.__name__}.{attribute}", depth + 1, seen)


def _is_open(given: Any, kind: type) -> bool:
    """Whether it is a file on a disk that has a position and is open for reading."""
    if kind not in (io.BufferedRandom, io.BufferedReader, io.FileIO, io.TextIOWrapper):
        return False
    try:
        known = os.fstat(given.fileno())
        return stat.S_ISREG(known.st_mode) and given.readable()
    except (OSError, ValueError):
        return False


def _is_mapped(given: Any, kind: type) -> bool:
    """Whether it is an array in a file, which is written to where the array is."""
    numpy = sys.modules.get("numpy")
    memmap = getattr(numpy, "memmap", None)
    return kind is memmap and getattr(given, "mode", "") in ("r+", "w+")

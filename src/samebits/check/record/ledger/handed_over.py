"""Which lines hand weights that an optimizer changes to another thread or process.

What is handed over is read later, as it is by then: where it is no copy, training goes on in it.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any
from weakref import WeakSet

from samebits.check.record.ledger.methods import watch_methods
from samebits.check.record.ledger.watching import Watching, event_code, source_code
from samebits.core import _native

_HANDING = {
    ("threading", "Thread"): ("__init__",),
    ("queue", "Queue"): ("put", "put_nowait"),
    ("multiprocessing.queues", "Queue"): ("put", "put_nowait"),
    ("concurrent.futures.thread", "ThreadPoolExecutor"): ("submit",),
    ("multiprocessing.pool", "Pool"): ("apply_async", "map_async"),
}
_DEEPEST = 4
"""Containers in containers that are looked into."""


def watch_what_is_handed_over(watching: Watching, recorder: _native.Recorder) -> None:
    """Watch threads, queues and pools of both kinds, for weights among what they are given.

    Args:
        watching: The ledger's watches; torch must have been imported.
        recorder: The process's recorder.
    """
    from torch.optim.optimizer import register_optimizer_step_post_hook

    source, event = source_code("hand-over"), event_code("write")
    optimizers: WeakSet[Any] = WeakSet()

    def stepped(optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        optimizers.add(optimizer)

    def handed(method: str, given: tuple[Any, ...], result: Any) -> None:
        if optimizers and _holds_any(given, _memory_of(optimizers)):
            watching.native.note(source, event, method, direct=True)

    watching.undo_with(register_optimizer_step_post_hook(stepped).remove)
    watch_methods(watching, recorder, _HANDING, handed)


def _memory_of(optimizers: WeakSet[Any]) -> frozenset[int]:
    groups = (group for optimizer in optimizers for group in optimizer.param_groups)
    return frozenset(_begin(p) for group in groups for p in group["params"]) - {0}


def _holds_any(given: Any, memory: frozenset[int]) -> bool:
    return any(begin in memory for begin in _begins(given, 0))


def _begins(given: Any, depth: int) -> Iterator[int]:
    """Where tensors and arrays in plain containers and dataclasses begin, and modules' parameters.

    Nothing is asked of other objects.
    """
    import torch

    numpy = sys.modules.get("numpy")
    if isinstance(given, torch.Tensor):
        yield _begin(given)
    elif isinstance(given, torch.nn.Module):
        yield from map(_begin, torch.nn.Module.parameters(given))
    elif numpy is not None and type(given) is numpy.ndarray:
        yield int(given.ctypes.data)  # what x.numpy() gives shares the memory
    elif depth < _DEEPEST and isinstance(given, Mapping):
        for value in list(given.values()):
            yield from _begins(value, depth + 1)
    elif depth < _DEEPEST and isinstance(given, list | tuple):
        for value in given:
            yield from _begins(value, depth + 1)
    elif depth < _DEEPEST and dataclasses.is_dataclass(given) and not isinstance(given, type):
        # Past whatever its class does with attributes; one with slots has no such dict.
        with suppress(AttributeError):
            yield from _begins(object.__getattribute__(given, "__dict__"), depth)


def _begin(tensor: Any) -> int:
    """Where a tensor's storage lies; 0 where it has none that can be told."""
    try:
        return int(tensor.untyped_storage().data_ptr())
    except (RuntimeError, NotImplementedError):
        return 0

"""Loader workers that begin as new processes, and so outside of every block.

A forked worker is inside, as its parent was. One that is spawned, or comes from a fork server,
starts Python anew: it is handed what the parent's block allows, and opens one of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from torch.utils.data._utils import worker

from samebits.arithmetic.mode import innermost
from samebits.core.interposition.replacements import Replacements

_NAME = "_worker_loop"


class _WorkerLoop:
    """What a worker runs, in the place of torch's own function."""

    def __init__(self, original: Callable[..., None]) -> None:
        self._original = original

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        self._original(*args, **kwargs)

    def __reduce__(self) -> Any:
        # On the thread that starts the worker: another one may have no block.
        block = innermost()
        if block is None:
            return _torchs_own, ()
        return _Inside, (block.block,)


def _torchs_own() -> Any:
    return getattr(worker, _NAME)


class _Inside:
    """Torch's own function inside a block."""

    def __init__(self, block: Callable[[], AbstractContextManager[object]]) -> None:
        self._block = block

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        with self._block():
            _torchs_own()(*args, **kwargs)


def put_in_place(replacements: Replacements) -> None:
    """Let workers in that are started inside a block."""
    original = getattr(worker, _NAME, None)
    if original is not None:
        replacements.put(worker, _NAME, _WorkerLoop(original))

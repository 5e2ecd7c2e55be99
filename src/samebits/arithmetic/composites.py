"""Operations that torch composes above dispatch, in a way of ours while a block is open.

torch computes some operations by calling others before any dispatch mode is asked, and a few of
those choose their way by strides, by what needs a gradient, by sizes or by what is installed. For
these the table has one composition, and while a block is open anywhere it stands in the place of
torch's, for every caller: Python's functions, tensors' methods, torch's own C++. On threads
without a block, and for tensors of other devices, torch's runs as ever.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any

import torch

from samebits.arithmetic.compiling import keep_from_compiler
from samebits.arithmetic.forms import COMPOSITION, computed_by, is_composed
from samebits.arithmetic.mode import innermost
from samebits.arithmetic.registry import REAL, Dtypes, F, decomposition

Where = Callable[..., bool]
_NAMES: dict[str, Where | None] = {}


def composite(*names: str, dtypes: Dtypes = REAL, where: Where | None = None) -> Callable[[F], F]:
    """Enter a function of torch's functions in the place of a composition of torch's own.

    It runs with the mode on, above autograd where that is on: it is differentiated as it is
    written. The forms that write to an `out` come with it.

    Args:
        names: Overloads as torch prints them, without a trailing ".default".
        dtypes: As for `samebits.arithmetic.registry.ExactOperation`.
        where: Called with the arguments: whether torch's own composition would not do. It is asked
            before anything else, so that an operation of which that is rare stays quick.
    """
    _NAMES.update(dict.fromkeys(names, where))
    return decomposition(*names, under_mode=True, dtypes=dtypes)


@contextlib.contextmanager
def as_inside() -> Iterator[None]:
    """Choose the table's compositions on this thread although no mode is active on it.

    For tracing: torch takes every dispatch mode away before it traces.
    """
    before, _thread.inside = getattr(_thread, "inside", False), True
    try:
        yield
    finally:
        _thread.inside = before


_thread = threading.local()


class Composites:
    """Puts the table's compositions in the place of torch's, and takes them back."""

    def __init__(self) -> None:
        self._library: Any = None

    def put_in_place(self) -> None:
        """Let torch call ours from now on."""
        # What torch.library.Library is made of; that takes ten times as long, at every block.
        self._library = torch._C._dispatch_library("IMPL", "aten", "")
        for op, compose in _compositions():
            self._library.impl(op.name().removeprefix("aten::"), "AutogradCPU", compose, False)
        _forget_kernels()

    def take_back(self) -> None:
        """Let torch call its own again."""
        if self._library is not None:
            self._library.reset()
            self._library = None
            _forget_kernels()


def _forget_kernels() -> None:
    """Have torch look anew for the kernels that it calls when it traces.

    It keeps what it has found for each key. What it found while ours stood there is none of torch's
    afterwards, and a graph that is traced with it has no gradients.
    """
    for op, _ in _compositions():
        op._dispatch_cache.clear()


@functools.cache
def _compositions() -> list[tuple[Any, Callable[..., Any]]]:
    """What stands in the place of each overload."""
    found = []
    for name, where in _NAMES.items():
        own, _, only = name.removeprefix("aten.").partition(".")
        packet = getattr(torch.ops.aten, own)
        for overload in (only,) if only else ("default", "out"):
            op = getattr(packet, overload) if overload in packet.overloads() else None
            # `linear.out` is an operation of its own, which the mode sees.
            if op is not None and is_composed(op):
                found.append((op, _choosing(name, op, where)))
    return found


def _choosing(name: str, op: Any, where: Where | None) -> Callable[..., Any]:
    torchs_own = op._op_dk

    def compose(*args: Any, **kwargs: Any) -> Any:
        if where is not None and not where(*args, **kwargs):
            return torchs_own(COMPOSITION, *args, **kwargs)
        mode = innermost()
        inside = getattr(_thread, "inside", False) if mode is None else not mode.lets_through(name)
        found = computed_by(op) if inside else None
        if found is None:
            return torchs_own(COMPOSITION, *args, **kwargs)
        return found.handler(*args, **kwargs)

    keep_from_compiler(compose)  # torch calls it between graphs as well
    return compose

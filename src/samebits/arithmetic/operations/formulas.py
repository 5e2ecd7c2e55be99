"""Entering a formula in torch's functions as what computes an operation.

A formula runs under the mode: each operation in it is exact, and one that is not covered is
refused. It sees float32 or float64; halves are widened before it and rounded once after it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from samebits.arithmetic.forms import leaves, torchs_own, write
from samebits.arithmetic.kernels import is_float
from samebits.arithmetic.operations.arguments import require_plain, result_dtype
from samebits.arithmetic.refusal import not_exact
from samebits.arithmetic.registry import (
    REAL,
    Dtypes,
    F,
    Handler,
    decomposition,
    name_of,
)

HALVES = (torch.float16, torch.bfloat16)


def formula(
    *names: str,
    moves: bool = False,
    whole: bool = True,
    first: Handler | None = None,
    dtypes: Dtypes = REAL,
) -> Callable[[F], F]:
    """Enter a function of torch's functions for these operations.

    Args:
        names: Functional overloads as torch prints them, without a trailing ".default".
        moves: Whether values only move, so that halves need not be widened.
        whole: Whether torch's own results for whole numbers are exact.
        first: As for `samebits.arithmetic.registry.ExactOperation`.
        dtypes: As for `samebits.arithmetic.registry.ExactOperation`.
    """

    def enter(function: F) -> F:
        own = _Options(function, moves, whole)
        entered = decomposition(*names, writes=True, under_mode=True, first=first, dtypes=dtypes)
        entered(functools.partial(_run, own))
        return function

    return enter


@dataclass(frozen=True)
class _Options:
    """What `formula` was told."""

    function: Handler
    moves: bool
    whole: bool


def _run(own: _Options, op: Any, out: torch.Tensor | None, /, *args: Any, **named: Any) -> Any:
    """Compute a formula for arguments as they come, and write its result where it belongs."""
    tensors = [leaf for leaf in leaves((args, named)) if isinstance(leaf, torch.Tensor)]
    floats = [tensor for tensor in tensors if is_float(tensor)]
    if not floats:
        return _whole_result(op, own.whole, out, args, named)
    require_plain(op, tensors if out is None else [*tensors, out])
    given = (args, named) if own.moves else (widened(args), widened(named))
    result = own.function(*given[0], **given[1])
    if out is not None:
        return write(op, out, result)
    dtype = named.get("dtype") or result_dtype(floats)
    return narrowed(result, dtype) if dtype in HALVES else result


def _whole_result(op: Any, whole: bool, out: torch.Tensor | None, args: Any, named: Any) -> Any:
    """What torch computes for whole numbers, if that is whole numbers too."""
    with _disable_current_modes():
        result = None if is_float(out) or not whole else torchs_own(op, out, args, named)
    if result is None or any(is_float(leaf) for leaf in leaves(result)):
        raise not_exact(name_of(op), "it is not defined for whole numbers")
    return result


def single_floats(*tensors: torch.Tensor | None) -> bool:
    """Whether kernels can read all that are given as they lie, in one of their two dtypes."""
    given = [tensor for tensor in tensors if tensor is not None]
    dtype = given[0].dtype
    return dtype in (torch.float32, torch.float64) and all(
        tensor.dtype == dtype and tensor.is_contiguous() and not tensor.is_neg() for tensor in given
    )


def widened(value: Any) -> Any:
    """Arguments with their halves as float32."""
    if isinstance(value, torch.Tensor):
        return value.float() if value.dtype in HALVES else value
    if isinstance(value, (list, tuple)):
        return type(value)(widened(item) for item in value)
    if isinstance(value, dict):
        return {name: widened(item) for name, item in value.items()}
    return value


def narrowed(value: Any, dtype: torch.dtype) -> Any:
    """Results with their floating tensors rounded to a dtype."""
    if isinstance(value, torch.Tensor):
        return value.to(dtype) if is_float(value) else value
    if isinstance(value, (list, tuple)):
        return type(value)(narrowed(item, dtype) for item in value)
    return value


def is_formula(function: Handler) -> bool:
    """Whether what a row computes with is a formula in torch's functions."""
    return isinstance(function, functools.partial) and function.func is _run

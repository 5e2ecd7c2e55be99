"""Numbers that meet halves are rounded once (docs/arithmetic.md, "Numbers").

A Python number is binary64. torch rounds it to binary32 on its way to a half; here what meets a
half is rounded to it first.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._pytree import tree_map

from samebits.arithmetic.kernels import converted
from samebits.arithmetic.registry import HALVES

BIT = 1 << 63
"""Beside the dtypes of an operation, for the native dispatcher: its numbers are looked at."""

_INTO_FIRST = ("fill", "full_like", "new_full", "masked_fill", "index_fill", "scatter")
"""What writes a number into its first tensor, or one like it."""


def rounded_numbers(op: Any, args: Any, kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Arguments whose numbers of binary64 are those of the half that they become.

    Args:
        op: An operation that torch computes.
        args: Its arguments.
        kwargs: Its named arguments.
    """
    dtype = _dtype(str(op).split(".")[1], [*args, *kwargs.values()], kwargs.get("dtype"))
    if dtype not in HALVES:
        return args, kwargs

    def rounded(value: Any) -> Any:
        if type(value) is float:
            return converted(torch.tensor(value, dtype=torch.float64), dtype).item()
        if isinstance(value, torch.Tensor) and value.ndim == 0 and value.dtype == torch.float64:
            return converted(value, dtype)
        return value

    return tree_map(rounded, args), tree_map(rounded, kwargs)


def _dtype(name: str, given: list[Any], asked: torch.dtype | None) -> torch.dtype | None:
    """The dtype in which an operation takes its numbers; None where no number is rounded."""
    if asked is not None:
        return asked
    tensors = [one for one in given if isinstance(one, torch.Tensor)]
    floats = [one for one in tensors if one.is_floating_point()]
    if not tensors:
        return torch.get_default_dtype()
    if name.startswith(_INTO_FIRST):
        return tensors[0].dtype
    if len({one.dtype for one in floats if one.ndim}) > 1 or not floats:
        return None
    dtype = floats[0].dtype
    for one in floats[1:]:
        dtype = torch.result_type(torch.empty((1,) * floats[0].ndim, dtype=dtype), one)
    return dtype

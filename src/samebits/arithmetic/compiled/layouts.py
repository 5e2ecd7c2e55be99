"""Layouts that torch has foreseen for a value, and bringing values into them.

Kernels may give a result its own order in memory. Operations that read memory instead of values
(views, `as_strided`) were traced for torch's order, and so was what torch does with results.
"""

from __future__ import annotations

from typing import Any

import torch

Steps = tuple[int, ...]

BY_MEMORY = frozenset(
    {
        torch.ops.aten.view.default,
        torch.ops.aten.view.dtype,
        torch.ops.aten._unsafe_view.default,
        torch.ops.aten._reshape_alias.default,
        torch.ops.aten.as_strided.default,
        torch.ops.aten.view_as_real.default,
        torch.ops.aten.view_as_complex.default,
    }
)
"""Operations for which it matters where their first argument's values lie."""


def foreseen(value: Any) -> Steps | None:
    """The steps of a traced value, in elements; None where they are not numbers."""
    if not isinstance(value, torch.Tensor) or value.layout != torch.strided:
        return None
    steps = tuple(value.stride())
    sizes = tuple(value.size())
    return steps if all(type(number) is int for number in (*steps, *sizes)) else None


def laid_out(value: Any, steps: Steps | None) -> Any:
    """A tensor with these steps: itself, or a copy of its values.

    Args:
        value: A tensor, or anything else, which is left alone.
        steps: As `foreseen` gives them.
    """
    if steps is None or not isinstance(value, torch.Tensor) or value.stride() == steps:
        return value
    if value.layout != torch.strided or value.numel() == 0 or len(steps) != value.ndim:
        return value
    if all(
        size == 1 or a == b for size, a, b in zip(value.size(), value.stride(), steps, strict=True)
    ):
        return value
    return torch.empty_strided(value.size(), steps, dtype=value.dtype).copy_(value)

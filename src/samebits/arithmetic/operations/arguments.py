"""What handlers do with arguments that are not plain: numbers, other dtypes, other devices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from samebits.arithmetic.kernels import FLOATING, converted
from samebits.arithmetic.refusal import not_exact
from samebits.arithmetic.registry import name_of


def result_dtype(operands: Sequence[Any], *, floating: bool = False) -> torch.dtype:
    """Torch's dtype for an operation on tensors and numbers.

    Args:
        operands: Tensors and Python numbers.
        floating: Whether whole numbers become the default floating dtype.
    """
    tensors = [o for o in operands if isinstance(o, torch.Tensor)]
    numbers = [o for o in operands if not isinstance(o, torch.Tensor)]
    dtype = tensors[0].dtype
    if len(tensors) > 1 or numbers:
        first: Any = tensors[0]
        for other in (*tensors[1:], *numbers):
            dtype = torch.result_type(first, other)
            # A stand-in that keeps the category: an axis decides over none.
            axes = max(first.ndim, getattr(other, "ndim", 0))
            first = torch.empty((1,) * min(axes, 1), dtype=dtype)
    if floating and not (dtype.is_floating_point or dtype.is_complex):
        dtype = torch.get_default_dtype()
    return dtype


def require_plain(operation: Any, tensors: Sequence[torch.Tensor]) -> None:
    """Refuse tensors that are not in this processor's memory, or not real numbers.

    Raises:
        NotExactError: One is on another device, sparse, complex, or of a dtype without kernels.
    """
    for tensor in tensors:
        if tensor.dtype in FLOATING and tensor.is_cpu and tensor.layout is torch.strided:
            continue
        name = name_of(operation)
        if tensor.device.type != "cpu":
            raise not_exact(
                name, f"a tensor is on {tensor.device}; exact arithmetic runs on the CPU"
            )
        if tensor.layout != torch.strided:
            raise not_exact(name, f"a tensor has the layout {tensor.layout}".replace("torch.", ""))
        if tensor.is_complex() or (tensor.is_floating_point() and tensor.dtype not in FLOATING):
            raise not_exact(name, f"there is no kernel for {tensor.dtype}".replace("torch.", ""))


def demand(condition: bool, operation: Any, what: str) -> None:
    """Refuse arguments that have no meaning; torch's own text, where it has one, replaces ours.

    Raises:
        RuntimeError: The condition does not hold.
    """
    if not condition:
        raise RuntimeError(f"{name_of(operation)}: {what}")


def torch_decides(operation: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    """Let torch check the arguments and raise its own error, without computing anything."""

    def meta(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return torch.empty_strided(
                value.size(), value.stride(), dtype=value.dtype, device="meta"
            )
        if isinstance(value, (list, tuple)):
            return type(value)(meta(item) for item in value)
        return value

    operation(*meta(list(args)), **{name: meta(value) for name, value in kwargs.items()})


def to_common(operands: Sequence[Any], dtype: torch.dtype) -> tuple[torch.Tensor, ...]:
    """Tensors and numbers as tensors of one floating dtype."""
    return tuple(
        converted(o, dtype) if isinstance(o, torch.Tensor) else torch.tensor(o, dtype=dtype)
        for o in operands
    )


def broadcast_shape(*tensors: torch.Tensor) -> torch.Size:
    """The shape to which tensors broadcast.

    Raises:
        RuntimeError: They do not.
    """
    shape: torch.Size = torch.broadcast_shapes(*(t.shape for t in tensors))  # type: ignore[no-untyped-call]
    return shape

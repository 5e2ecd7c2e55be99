"""Operations on lists of tensors (docs/arithmetic.md, "Element by element").

The exact operation on each tensor, in order. A list among the other arguments has as many elements
as the first one, and each tensor its own; what is no list is for all of them.
"""

from __future__ import annotations

import functools
from typing import Any

import torch

from samebits.arithmetic.forms import exact
from samebits.arithmetic.registry import Handler, kernel, name_of

aten = torch.ops.aten

_PAIRS = ("Scalar", "List", "ScalarList")

SINGLE: dict[str, tuple[tuple[str, ...], str, str]] = {
    **{
        name: (("default",), name, "")
        for name in (
            "sqrt", "rsqrt", "neg", "abs", "reciprocal", "exp", "log", "tanh", "sigmoid", "sign",
        )
    },
    **{name: ((*_PAIRS, "Tensor"), f"{name}.Scalar", f"{name}.Tensor") for name in ("add", "mul")},
    "div": ((*_PAIRS, "Tensor"), "div.Scalar", "div.Tensor"),
    "sub": (_PAIRS, "sub.Scalar", "sub.Tensor"),
    "clamp_min": (_PAIRS, "clamp_min", "clamp_min.Tensor"),
    "clamp_max": (_PAIRS, "clamp_max", "clamp_max.Tensor"),
    "maximum": (_PAIRS, "clamp_min", "clamp_min.Tensor"),
    "minimum": (_PAIRS, "clamp_max", "clamp_max.Tensor"),
    "lerp": (("Scalar", "List"), "lerp.Scalar", "lerp.Tensor"),
    "addcmul": (("Scalar", "ScalarList", "Tensor"), "addcmul", ""),
    "addcdiv": (("Scalar", "ScalarList", "Tensor"), "addcdiv", ""),
}  # fmt: skip
"""Overloads for lists, and the operation for one tensor where the last operand is a number or a
tensor."""


@functools.cache
def _singles(op: Any) -> tuple[Handler, Handler]:
    """What computes one tensor of a list, where the last operand is a number and where a tensor."""
    packet = name_of(op).split(".")[1].removeprefix("_foreach_")
    suffix = "_" if packet.endswith("_") else ""
    _, number, tensor = SINGLE[packet.removesuffix("_")]
    handlers = []
    for name in (number, tensor or number):
        base, _, overload = name.partition(".")
        handlers.append(exact(getattr(getattr(aten, base + suffix), overload or "default")))
    return handlers[0], handlers[1]


@functools.cache
def _is_in_place(op: Any) -> bool:
    return name_of(op).split(".")[1].endswith("_")


def _each(op: Any, run: Handler, tensors: Any, *others: Any, **named: Any) -> Any:
    """Call `run` for each tensor with its own share of the other lists."""
    if any(len(o) != len(tensors) for o in others if isinstance(o, (list, tuple))):
        raise RuntimeError(f"{name_of(op)} wants lists of one length")
    results = [
        run(tensor, *(o[i] if isinstance(o, (list, tuple)) else o for o in others), **named)
        for i, tensor in enumerate(tensors)
    ]
    return None if _is_in_place(op) else results


def _one_or_two(op: Any, tensors: Any, *others: Any, **named: Any) -> Any:
    number, tensor = _singles(op)
    last = others[-1] if others else None
    if isinstance(last, (list, tuple)):
        last = last[0] if last else None
    run = tensor if isinstance(last, torch.Tensor) else number
    return _each(op, run, tensors, *others, **named)


def _three(op: Any, x: Any, y: Any, z: Any, value: Any = 1) -> Any:
    single, _ = _singles(op)
    values = value.tolist() if isinstance(value, torch.Tensor) else value
    return _each(op, lambda a, b, c, v: single(a, b, c, value=v), x, y, z, values)


for _base, (_overloads, *_) in SINGLE.items():
    _names = (f"aten._foreach_{_base}{end}.{o}" for end in ("", "_") for o in _overloads)
    kernel(*(name.removesuffix(".default") for name in _names))(
        _three if _base in ("addcmul", "addcdiv") else _one_or_two
    )


@kernel("aten._foreach_norm.Scalar")
def foreach_norm(op: Any, tensors: Any, order: float = 2, dtype: Any = None) -> Any:
    """The norm of each tensor."""
    return _each(op, exact(aten.linalg_vector_norm.default), tensors, order, dtype=dtype)


@kernel("aten._foreach_copy_")
def foreach_copy_(op: Any, targets: Any, sources: Any, non_blocking: bool = False) -> Any:
    """Copies each tensor into its target."""
    return _each(op, exact(aten.copy_.default), targets, sources, non_blocking)

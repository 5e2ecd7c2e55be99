"""Operations on lists of tensors: the same operation on each, in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from samebits.arithmetic.operations import activations, pointwise
from samebits.arithmetic.operations.reductions import vector_norm
from samebits.arithmetic.registry import Handler, kernel, name_of

aten = torch.ops.aten


def _each(op: Any, run: Handler, tensors: Sequence[Any], *others: Any, **named: Any) -> Any:
    """Call `run` for each tensor with its own share of the other lists."""
    if any(len(o) != len(tensors) for o in others if isinstance(o, (list, tuple))):
        raise RuntimeError(f"{name_of(op)} wants lists of one length")
    results = [
        run(tensor, *(o[i] if isinstance(o, (list, tuple)) else o for o in others), **named)
        for i, tensor in enumerate(tensors)
    ]
    return None if name_of(op).split(".")[1].endswith("_") else results


def _enter_binary(base: str, handler: Handler, single: Any) -> None:
    for suffix in ("", "_"):
        own = handler if not suffix else getattr(pointwise, f"{base}_")
        target = single if not suffix else getattr(aten, f"{base}_").Tensor

        def run(
            op: Any, tensors: Any, others: Any, own: Any = own, target: Any = target, **named: Any
        ) -> Any:
            return _each(op, lambda *a, **k: own(target, *a, **k), tensors, others, **named)

        overloads = ["Scalar", "List", "ScalarList", "Tensor"]
        if base == "sub":
            overloads.remove("Tensor")
        kernel(*(f"aten._foreach_{base}{suffix}.{o}" for o in overloads), operation=True)(run)


_enter_binary("add", pointwise.add, aten.add.Tensor)
_enter_binary("sub", pointwise.sub, aten.sub.Tensor)
_enter_binary("mul", pointwise.mul, aten.mul.Tensor)
_enter_binary("div", pointwise.div, aten.div.Tensor)


def _enter_unary(base: str) -> None:
    def run(op: Any, tensors: Any) -> Any:
        in_place = name_of(op).endswith("_")
        target = getattr(aten, f"{base}_" if in_place else base).default
        return _each(
            op,
            lambda x: pointwise.compute(target, base, (x,), (), x if in_place else None, (x,)),
            tensors,
        )

    kernel(f"aten._foreach_{base}", f"aten._foreach_{base}_", operation=True)(run)


for _base in ("sqrt", "rsqrt", "neg", "abs", "reciprocal", "exp", "log", "tanh", "sigmoid", "sign"):
    _enter_unary(_base)


def _enter_bound(base: str, single: str) -> None:
    """The larger or the smaller one of each pair: torch calls it a maximum and a clamp."""

    def run(op: Any, tensors: Any, bounds: Any) -> Any:
        in_place = name_of(op).split(".")[1].endswith("_")
        target = getattr(aten, f"{single}_" if in_place else single)

        def one(x: Any, bound: Any) -> Any:
            if isinstance(bound, torch.Tensor):
                return activations.clamp_tensor(target.Tensor, x, bound)
            return activations.clamp(target.default, x, bound)

        return _each(op, one, tensors, bounds)

    overloads = ("Scalar", "List", "ScalarList")
    names = (f"aten._foreach_{base}{suffix}.{o}" for suffix in ("", "_") for o in overloads)
    kernel(*names, operation=True)(run)


for _base, _single in (
    ("clamp_min", "clamp_min"),
    ("clamp_max", "clamp_max"),
    ("maximum", "clamp_min"),
    ("minimum", "clamp_max"),
):
    _enter_bound(_base, _single)


def _enter_ternary(base: str) -> None:
    for suffix in ("", "_"):
        own = getattr(activations, f"{base}{suffix}")
        target = getattr(aten, f"{base}{suffix}").default

        def run(
            op: Any, x: Any, y: Any, z: Any, value: Any = 1, own: Any = own, target: Any = target
        ) -> Any:
            values = value.tolist() if isinstance(value, torch.Tensor) else value
            return _each(op, lambda a, b, c, v: own(target, a, b, c, value=v), x, y, z, values)

        names = (f"aten._foreach_{base}{suffix}.{o}" for o in ("Scalar", "ScalarList", "Tensor"))
        kernel(*names, operation=True)(run)


_enter_ternary("addcmul")
_enter_ternary("addcdiv")


@kernel(
    "aten._foreach_lerp.Scalar", "aten._foreach_lerp_.Scalar",
    "aten._foreach_lerp.List", "aten._foreach_lerp_.List", operation=True,
)  # fmt: skip
def foreach_lerp(op: Any, x: Any, y: Any, weight: Any) -> Any:
    """`lerp` of each pair."""
    in_place = "lerp_" in name_of(op)
    if isinstance(weight, (list, tuple)):
        own = activations.lerp_ if in_place else activations.lerp
        return _each(op, lambda a, b, w: own(aten.lerp.Tensor, a, b, w), x, y, weight)
    single = activations.lerp_scalar_ if in_place else activations.lerp_scalar
    return _each(op, lambda a, b: single(aten.lerp.Scalar, a, b, weight), x, y)


@kernel("aten._foreach_norm.Scalar", operation=True)
def foreach_norm(op: Any, tensors: Any, order: float = 2, dtype: Any = None) -> Any:
    """The norm of each tensor."""
    return _each(
        op, lambda x: vector_norm(aten.linalg_vector_norm.default, x, order, dtype=dtype), tensors
    )


@kernel("aten._foreach_copy_", operation=True)
def foreach_copy_(op: Any, targets: Any, sources: Any, non_blocking: bool = False) -> Any:
    """Copies each tensor into its target."""
    from samebits.arithmetic.operations.copies import copy_

    return _each(op, lambda a, b: copy_(aten.copy_.default, a, b, non_blocking), targets, sources)

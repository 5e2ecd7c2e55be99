"""Operations that the dispatcher computes by itself when their arguments are plain.

A shortcut is (kind, kernel for tensors, kernel for a tensor and a number or −1, whether the
number's sign is turned), as in `native/python/exact/shortcuts.hpp`. What it declines goes to the
table.
"""

from __future__ import annotations

from samebits.arithmetic.kernels import NUMBERS

Shortcut = tuple[int, int, int, bool]

_UNARY, _UNARY_IN_PLACE, _BINARY, _BINARY_IN_PLACE, _PRODUCT, _PRODUCT_ADDED, _SUM = range(1, 8)


def _binary(kernel: str, number: str, *, negated: bool = False) -> tuple[int, int, bool]:
    return NUMBERS[kernel], NUMBERS[number] if number else -1, negated


def _all() -> dict[str, Shortcut]:
    found: dict[str, Shortcut] = {
        "aten.mm": (_PRODUCT, 0, -1, False),
        "aten.bmm": (_PRODUCT, 0, -1, False),
        "aten.addmm": (_PRODUCT_ADDED, 0, -1, False),
        "aten.baddbmm": (_PRODUCT_ADDED, 0, -1, False),
        "aten.sum": (_SUM, 0, -1, False),
        "aten.sum.dim_IntList": (_SUM, 0, -1, False),
        "aten.tanh_backward": (_BINARY, NUMBERS["tanh_backward"], -1, False),
        "aten.sigmoid_backward": (_BINARY, NUMBERS["sigmoid_backward"], -1, False),
        "aten.silu_backward": (_BINARY, NUMBERS["silu_backward"], -1, False),
    }
    for name in (
        "neg", "abs", "sqrt", "rsqrt", "reciprocal", "exp", "exp2", "expm1", "log", "log2", "log10",
        "log1p", "sin", "cos", "tanh", "erf", "sigmoid", "relu", "silu",
    ):  # fmt: skip
        found[f"aten.{name}"] = (_UNARY, NUMBERS[name], -1, False)
        found[f"aten.{name}_"] = (_UNARY_IN_PLACE, NUMBERS[name], -1, False)
    for name, parts in {
        "add": _binary("add", "add_scalar"),
        "sub": _binary("sub", "add_scalar", negated=True),
        "mul": _binary("mul", "mul_scalar"),
        "div": _binary("div", "div_scalar"),
    }.items():
        found[f"aten.{name}.Tensor"] = (_BINARY, *parts)
        found[f"aten.{name}_.Tensor"] = (_BINARY_IN_PLACE, *parts)
    return found


SHORTCUTS = _all()

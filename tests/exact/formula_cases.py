"""Derivatives of formulas that have an operation of their own, for the tests of derivatives."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

Cases = dict[str, tuple[Callable[..., Tensor], list[tuple[int, ...]]]]

IN_FLOAT64: Cases = {
    "prelu": (functional.prelu, [(2, 3, 4), (3,)]),
    "weight_norm": (lambda v, g: torch._weight_norm(v, g, 0), [(3, 4, 2), (3, 1, 1)]),
    "hardswish": (lambda x: functional.hardswish(3 * x), [(4, 5)]),
    "hardsigmoid": (lambda x: functional.hardsigmoid(3 * x), [(4, 5)]),
    "hardshrink": (functional.hardshrink, [(4, 5)]),
    "softshrink": (functional.softshrink, [(4, 5)]),
    "rrelu": (lambda x: functional.rrelu(x, 0.1, 0.4), [(4, 5)]),
}

BY_DIFFERENCES: Cases = {
    "glu": (lambda x: functional.glu(x, 0), [(4, 5)]),
    "mish": (functional.mish, [(4, 5)]),
    "logit": (lambda x: torch.logit(x.sigmoid(), 0.2), [(4, 5)]),
}

"""The in-place and out= forms that kernels lack: the operation, then its result put in place."""

from __future__ import annotations

import functools
from typing import Any

import torch

import samebits.arithmetic.operations.activations
import samebits.arithmetic.operations.embedding
import samebits.arithmetic.operations.losses
import samebits.arithmetic.operations.normalisation
import samebits.arithmetic.operations.products  # noqa: F401  what has a form already
from samebits.arithmetic.kernels import is_float
from samebits.arithmetic.operations.formulas import forms, leaves, whole_result, write
from samebits.arithmetic.registry import ENTRIES, decomposition

NAMES = """
sum.dim_IntList mean.dim amax amin var.correction std.correction logsumexp clamp clamp.Tensor
clamp_min clamp_max mm bmm addmm baddbmm addmv dot gelu silu elu leaky_relu hardtanh softplus
lerp.Scalar lerp.Tensor addcmul addcdiv _softmax _log_softmax mse_loss smooth_l1_loss
binary_cross_entropy sgn xlogy.Tensor embedding_dense_backward threshold_backward tanh_backward
sigmoid_backward gelu_backward silu_backward
""".split()  # noqa: SIM905


def _written(single: Any, target: str, dtype: bool, op: Any, *args: Any, **kwargs: Any) -> Any:
    named = {name: value for name, value in kwargs.items() if name != target}
    out = kwargs.get(target, args[0])
    if not any(is_float(leaf) for leaf in leaves((args, named))):
        return whole_result(op, True, out, args, kwargs)
    if dtype and named.get("dtype") is None:
        named["dtype"] = out.dtype
    return write(op, out, single(*args, **named), in_place=target not in kwargs)


def _enter(name: str) -> None:
    packet, _, overload = name.partition(".")
    single = getattr(getattr(torch.ops.aten, packet), overload or "default")
    dtype = any(argument.name == "dtype" for argument in single._schema.arguments)
    for form, target in forms(f"aten.{name}"):
        if form not in ENTRIES:
            handler = functools.partial(_written, single, target, dtype)
            decomposition(form, operation=True, under_mode=True)(handler)


for _name in NAMES:
    _enter(_name)

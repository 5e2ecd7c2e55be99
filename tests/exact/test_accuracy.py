"""Errors against float64 on the sample inputs that torch's own tests use: at most twice torch's."""

from __future__ import annotations

import sys
import types
import unittest
import warnings
from typing import Any

import pytest
import torch

import samebits
from samebits.errors import NotExactError

NAMES = """
abs add addcdiv addcmul addmm addmv baddbmm bmm cat clamp cos cumsum div dot erf exp exp2 expm1
index_add index_put index_select lerp log log10 log1p log2 logsumexp linalg.vector_norm
masked_fill matmul mean mm mul mv neg outer reciprocal rsqrt rsub scatter_add sigmoid sin sqrt
square std sub sum tanh true_divide var var_mean where nn.functional.adaptive_avg_pool2d
nn.functional.avg_pool2d nn.functional.batch_norm nn.functional.binary_cross_entropy
nn.functional.binary_cross_entropy_with_logits nn.functional.conv1d nn.functional.conv2d
nn.functional.conv3d nn.functional.conv_transpose1d nn.functional.conv_transpose2d
nn.functional.cross_entropy nn.functional.elu nn.functional.embedding nn.functional.gelu
nn.functional.group_norm nn.functional.hardtanh nn.functional.huber_loss
nn.functional.instance_norm nn.functional.l1_loss nn.functional.layer_norm
nn.functional.leaky_relu nn.functional.linear nn.functional.logsigmoid nn.functional.max_pool2d
nn.functional.mse_loss nn.functional.nll_loss nn.functional.normalize nn.functional.relu
nn.functional.scaled_dot_product_attention nn.functional.silu nn.functional.smooth_l1_loss
nn.functional.softplus softmax log_softmax
""".split()  # noqa: SIM905

STEPS = 4.0
"""Units in the last place of the largest value that either may always be off."""


def tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [t for item in value for t in tensors(item)]
    return []


def widened(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().double() if value.is_floating_point() else value
    if isinstance(value, (list, tuple)):
        return type(value)(widened(item) for item in value)
    if isinstance(value, dict):
        return {name: widened(item) for name, item in value.items()}
    return value


def error(found: torch.Tensor, right: torch.Tensor) -> float:
    usable = right.isfinite() & found.isfinite()
    return (found.double() - right)[usable].abs().max().item() if bool(usable.any()) else 0.0


def samples_of_torch(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    # torch's test helpers import it for one decorator that is not used here.
    stand_in = types.ModuleType("expecttest")
    stand_in.TestCase = unittest.TestCase  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "expecttest", stand_in)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_methods_invocations import op_db
    return list(op_db)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_errors_are_at_most_twice_those_of_torch(name, monkeypatch):
    entries = [entry for entry in samples_of_torch(monkeypatch) if entry.name == name]
    assert entries, f"torch has no samples for {name}"
    compared = 0
    for entry in entries:
        for sample in entry.sample_inputs("cpu", torch.float32):
            args = (sample.input, *sample.args)
            if sample.kwargs.get("dropout_p"):
                continue  # random
            right = tensors(entry.op(*widened(args), **widened(sample.kwargs)))
            own = tensors(entry.op(*args, **sample.kwargs))
            try:
                with samebits.exact():
                    exact = tensors(entry.op(*args, **sample.kwargs))
            except NotExactError:
                continue
            assert len(exact) == len(own) == len(right)
            for e, o, r in zip(exact, own, right, strict=True):
                assert (e.shape, e.dtype) == (o.shape, o.dtype)
                if not e.is_floating_point():
                    assert e.equal(o)
                    continue
                assert e.isnan().equal(o.isnan())
                largest = r[r.isfinite()].abs().max().item() if bool(r.isfinite().any()) else 0.0
                allowed = 2 * error(o, r) + STEPS * torch.finfo(e.dtype).eps * largest
                assert error(e, r) <= allowed, f"{tuple(r.shape)} of {entry.formatted_name}"
                compared += 1
    assert compared

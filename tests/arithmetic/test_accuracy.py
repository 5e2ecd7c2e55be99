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
__radd__ __rdiv__ __rmatmul__ __rmul__ __rsub__ _native_batch_norm_legit _softmax_backward_data abs
add addcdiv addcmul addmm addmv amax amin baddbmm bfloat16 bmm cat clamp clamp_max clamp_min
copysign corrcoef cos cov cummax cummin cumsum cumulative_trapezoid diff div dot double einsum erf
exp exp2 expm1 float gather gradient half index_add index_copy index_put index_select inner kron
lerp linalg.matrix_norm linalg.matrix_power linalg.multi_dot linalg.norm linalg.vecdot
linalg.vector_norm linspace log log10 log1p log2 log_softmax logsumexp masked_fill matmul max
maximum mean median min minimum mm mul mv nanquantile native_batch_norm native_group_norm
native_layer_norm neg norm outer pow __rpow__ quantile reciprocal round rsqrt rsub scatter
scatter_add sgn sigmoid sign signal.windows.cosine signal.windows.exponential
signal.windows.gaussian signal.windows.hamming signal.windows.hann sin softmax sort special.ndtr
sqrt square std sub sum sum_to_size tanh tensordot topk torch.ops.aten._safe_softmax.default
trapezoid trapz true_divide var var_mean vdot where xlogy masked.amax masked.amin masked.cumsum
masked.log_softmax masked.logsumexp masked.mean masked.norm masked.normalize masked.prod
masked.softmax masked.softmin masked.std masked.sum masked.var nn.functional.adaptive_avg_pool1d
nn.functional.adaptive_avg_pool2d nn.functional.adaptive_avg_pool3d nn.functional.avg_pool1d
nn.functional.avg_pool2d nn.functional.avg_pool3d nn.functional.batch_norm
nn.functional.binary_cross_entropy nn.functional.binary_cross_entropy_with_logits
nn.functional.conv1d nn.functional.conv2d nn.functional.conv3d nn.functional.conv_transpose1d
nn.functional.conv_transpose2d nn.functional.conv_transpose3d nn.functional.cosine_embedding_loss
nn.functional.cosine_similarity nn.functional.cross_entropy nn.functional.elu
nn.functional.embedding nn.functional.gaussian_nll_loss nn.functional.gelu nn.functional.group_norm
nn.functional.hardtanh nn.functional.hinge_embedding_loss nn.functional.huber_loss
nn.functional.instance_norm nn.functional.interpolate nn.functional.kl_div nn.functional.l1_loss
nn.functional.layer_norm nn.functional.leaky_relu nn.functional.linear
nn.functional.linear_cross_entropy nn.functional.local_response_norm nn.functional.logsigmoid
nn.functional.margin_ranking_loss nn.functional.max_pool1d nn.functional.max_pool2d
nn.functional.max_pool3d nn.functional.mse_loss nn.functional.multilabel_soft_margin_loss
nn.functional.nll_loss nn.functional.normalize nn.functional.pad nn.functional.poisson_nll_loss
nn.functional.relu nn.functional.relu6 nn.functional.rms_norm
nn.functional.scaled_dot_product_attention nn.functional.selu nn.functional.silu
nn.functional.smooth_l1_loss nn.functional.softmin nn.functional.softplus nn.functional.softsign
nn.functional.tanhshrink nn.functional.upsample_nearest
acosh aminmax asinh atanh cosh cross cumprod deg2rad dist floor_divide fmax fmin fmod frac heaviside
hypot linalg.cross logaddexp logaddexp2 logcumsumexp logit masked.cumprod masked.logaddexp
nan_to_num nanmean nansum prod rad2deg remainder __rmod__ sinc sinh std_mean tan trace
nn.functional.celu nn.functional.glu nn.functional.hardshrink nn.functional.hardsigmoid
nn.functional.hardswish nn.functional.mish nn.functional.pairwise_distance nn.functional.prelu
nn.functional.softshrink nn.functional.threshold nn.functional.triplet_margin_loss
addbmm addr cdist grid_sampler_2d renorm scatter_reduce unfold nn.functional.adaptive_max_pool1d
nn.functional.adaptive_max_pool2d nn.functional.adaptive_max_pool3d nn.functional.bilinear
nn.functional.embedding_bag nn.functional.grid_sample nn.functional.multi_margin_loss
nn.functional.multilabel_margin_loss nn.functional.soft_margin_loss nn.functional.unfold
nn.functional.upsample_bilinear ldexp nanmedian special.entr special.xlog1py
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

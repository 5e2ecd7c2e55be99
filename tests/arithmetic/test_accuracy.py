"""Results against binary64 on the sample inputs that torch's own tests use.

What the table computes is near, and what only moves or compares values is equal, bit for bit. Each
function is computed for a sample at least, and nothing is refused that is not said to be.
"""

from __future__ import annotations

import types
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
import torch
from tests.arithmetic.bits import same_bits
from tests.arithmetic.operator_database.entries import database
from torch.utils._python_dispatch import TorchDispatchMode

import samebits
from samebits.arithmetic.forms import computed_by, leaves
from samebits.arithmetic.kernels import is_float
from samebits.errors import NotExactError

COMPUTED = """
__radd__ __rdiv__ __rmatmul__ __rmul__ __rsub__ _native_batch_norm_legit _softmax_backward_data abs
add addcdiv addcmul addmm addmv amax amin baddbmm bfloat16 bmm clamp clamp_max clamp_min corrcoef
cos cov cumsum cumulative_trapezoid diff div dot double einsum erf exp exp2 expm1 float gradient
half index_add index_put inner kron lerp linalg.matrix_norm linalg.matrix_power linalg.multi_dot
linalg.norm linalg.vecdot linalg.vector_norm linspace log log10 log1p log2 log_softmax logsumexp
matmul max maximum mean median min minimum mm mul mv nanquantile native_batch_norm native_group_norm
native_layer_norm neg norm outer pow __rpow__ quantile reciprocal round rsqrt rsub scatter_add sgn
sigmoid sign signal.windows.cosine signal.windows.exponential signal.windows.gaussian
signal.windows.hamming signal.windows.hann sin softmax special.ndtr sqrt square std sub sum
sum_to_size tanh tensordot torch.ops.aten._safe_softmax.default trapezoid trapz true_divide var
var_mean vdot xlogy masked.amax masked.amin masked.cumsum masked.log_softmax masked.logsumexp
masked.mean masked.norm masked.normalize masked.prod masked.softmax masked.softmin masked.std
masked.sum masked.var nn.functional.adaptive_avg_pool1d nn.functional.adaptive_avg_pool2d
nn.functional.adaptive_avg_pool3d nn.functional.avg_pool1d nn.functional.avg_pool2d
nn.functional.avg_pool3d nn.functional.batch_norm nn.functional.binary_cross_entropy
nn.functional.binary_cross_entropy_with_logits nn.functional.conv1d nn.functional.conv2d
nn.functional.conv3d nn.functional.conv_transpose1d nn.functional.conv_transpose2d
nn.functional.conv_transpose3d nn.functional.cosine_embedding_loss nn.functional.cosine_similarity
nn.functional.cross_entropy nn.functional.elu nn.functional.embedding
nn.functional.gaussian_nll_loss nn.functional.gelu nn.functional.group_norm nn.functional.hardtanh
nn.functional.hinge_embedding_loss nn.functional.huber_loss nn.functional.instance_norm
nn.functional.interpolate nn.functional.kl_div nn.functional.l1_loss nn.functional.layer_norm
nn.functional.leaky_relu nn.functional.linear nn.functional.linear_cross_entropy
nn.functional.local_response_norm nn.functional.logsigmoid nn.functional.margin_ranking_loss
nn.functional.mse_loss nn.functional.multilabel_soft_margin_loss nn.functional.nll_loss
nn.functional.normalize nn.functional.pad nn.functional.poisson_nll_loss nn.functional.relu
nn.functional.relu6 nn.functional.rms_norm nn.functional.scaled_dot_product_attention
nn.functional.selu nn.functional.silu nn.functional.smooth_l1_loss nn.functional.softmin
nn.functional.softplus nn.functional.softsign nn.functional.tanhshrink acosh aminmax asinh atanh
cosh cross cumprod deg2rad dist floor_divide fmax fmin fmod frac heaviside hypot linalg.cross
logaddexp logaddexp2 logcumsumexp logit masked.cumprod masked.logaddexp nan_to_num nanmean nansum
prod rad2deg remainder __rmod__ sinc sinh std_mean tan trace nn.functional.celu nn.functional.glu
nn.functional.hardshrink nn.functional.hardsigmoid nn.functional.hardswish nn.functional.mish
nn.functional.pairwise_distance nn.functional.prelu nn.functional.softshrink nn.functional.threshold
nn.functional.triplet_margin_loss addbmm addr cdist grid_sampler_2d renorm scatter_reduce
nn.functional.bilinear nn.functional.embedding_bag nn.functional.grid_sample
nn.functional.multi_margin_loss nn.functional.multilabel_margin_loss nn.functional.soft_margin_loss
nn.functional.upsample_bilinear ldexp nanmedian special.entr special.xlog1py
nn.functional.ctc_loss nn.functional.pdist grid_sampler_3d index_reduce put scatter
nn.functional.max_unpool1d nn.functional.max_unpool2d nn.functional.max_unpool3d
_upsample_bilinear2d_aa _unsafe_masked_index_put_accumulate linalg.qr qr geqrf
linalg.householder_product ormqr linalg.cholesky linalg.cholesky_ex cholesky cholesky_inverse
cholesky_solve linalg.solve_triangular triangular_solve linalg.lu_factor linalg.lu_factor_ex
linalg.lu lu linalg.lu_solve lu_solve linalg.solve linalg.solve_ex linalg.inv linalg.inv_ex
linalg.det linalg.slogdet logdet linalg.tensorsolve linalg.tensorinv linalg.eigvalsh linalg.svdvals
linalg.matrix_rank linalg.cond linalg.pinv
""".split()  # noqa: SIM905

MOVED = """
cat copysign cummax cummin index_select masked_fill take where unfold nn.functional.unfold lu_unpack
""".split()  # noqa: SIM905
"""What torch itself moves, orders or compares, and the table calls safe."""

MOVED_BY_TABLE = """
gather index_copy sort topk nn.functional.max_pool1d nn.functional.max_pool2d
nn.functional.max_pool3d nn.functional.upsample_nearest nn.functional.adaptive_max_pool1d
nn.functional.adaptive_max_pool2d nn.functional.adaptive_max_pool3d
""".split()  # noqa: SIM905
"""What a row of the table moves: torch's builds or threads differ in it for ties, NaN or places."""

COUNTED = {"linalg.matrix_rank"}
"""Of what the table computes, what gives whole numbers alone."""

REFUSED: dict[str, dict[str, int]] = {}
"""Of each function the operations that are refused, and on the way of how many of its samples."""

STEPS = 4.0
"""Units in the last place of the largest value that either may always be off."""


class ComputedOperations(TorchDispatchMode):
    """The operations that a row of the table has computed, of floating tensors or to them."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        if computed_by(func) is not None and any(map(is_float, leaves((args, kwargs, result)))):
            self.names.add(str(func))
        return result


def tensors(value: Any) -> list[torch.Tensor]:
    return [leaf for leaf in leaves(value) if isinstance(leaf, torch.Tensor)]


def in_binary64(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().double() if value.is_floating_point() else value
    if isinstance(value, (list, tuple)):
        return type(value)(in_binary64(item) for item in value)
    if isinstance(value, dict):
        return {name: in_binary64(item) for name, item in value.items()}
    return value


def error(found: torch.Tensor, right: torch.Tensor) -> float:
    usable = right.isfinite() & found.isfinite()
    return (found.double() - right)[usable].abs().max().item() if bool(usable.any()) else 0.0


Judge = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], bool]


def near(found: torch.Tensor, torchs: torch.Tensor, right: torch.Tensor) -> bool:
    """Whether the error against binary64 is at most twice that of torch."""
    largest = right[right.isfinite()].abs().max().item() if bool(right.isfinite().any()) else 0.0
    allowed = 2 * error(torchs, right) + STEPS * torch.finfo(found.dtype).eps * largest
    return (
        found.isnan().equal(torchs.isnan())
        and found.isfinite().equal(torchs.isfinite())
        and error(found, right) <= allowed
    )


def moved(found: torch.Tensor, torchs: torch.Tensor, right: torch.Tensor) -> bool:
    """Whether the values are those that binary64 has been moved to, bit for bit."""
    return same_bits(found, right.to(found.dtype))


def judged(name: str, entries: list[Any], judge: Judge) -> tuple[set[str], int]:
    """Compare each sample; return the table's operations that computed, and how many compared.

    Whole numbers and truths must be those that torch finds for the same values in binary64. They
    do not count as compared: where torch itself computes them both times, they cannot differ.
    """
    seen = ComputedOperations()
    compared = 0
    refused: Counter[str] = Counter()
    for entry in entries:
        for sample in entry.sample_inputs("cpu", torch.float32):
            if sample.kwargs.get("dropout_p"):
                continue  # random
            args, kwargs = (sample.input, *sample.args), sample.kwargs
            right = tensors(entry.op(*in_binary64(args), **in_binary64(kwargs)))
            torchs = tensors(entry.op(*args, **kwargs))
            try:
                with seen, samebits.exact():
                    found = tensors(entry.op(*args, **kwargs))
            except NotExactError as refusal:
                refused[str(refusal).split(" is not exact")[0]] += 1
                continue
            assert len(found) == len(torchs) == len(right)
            for e, o, r in zip(found, torchs, right, strict=True):
                assert (e.shape, e.dtype) == (o.shape, o.dtype)
                fits = judge(e, o, r) if e.is_floating_point() else e.equal(r)
                assert fits, f"{tuple(r.shape)} of {entry.formatted_name}"
                compared += e.is_floating_point()
    assert refused == REFUSED.get(name, {})
    return seen.names, compared


def entries_named(name: str) -> list[Any]:
    entries = [entry for entry in database().values() if entry.name == name]
    assert entries, f"torch has no samples for {name}"
    return entries


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", COMPUTED)
def test_what_the_table_computes_is_near_binary64(name):
    operations, compared = judged(name, entries_named(name), near)
    assert operations
    assert bool(compared) is (name not in COUNTED)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MOVED)
def test_what_is_safe_only_moves_values(name):
    operations, compared = judged(name, entries_named(name), moved)
    assert not operations
    assert compared


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MOVED_BY_TABLE)
def test_what_the_table_moves_it_only_moves(name):
    operations, compared = judged(name, entries_named(name), moved)
    assert operations
    assert compared


class SampleOf:
    """Samples such as torch's, of one function of one tensor."""

    name = formatted_name = "made up"
    kwargs: dict[str, Any] = {}  # noqa: RUF012
    args = ()

    def __init__(self, op: Callable[..., Any], *inputs: torch.Tensor) -> None:
        self.op = op
        self.inputs = inputs

    def sample_inputs(self, *_: Any) -> list[Any]:
        return [types.SimpleNamespace(input=x, args=(), kwargs={}) for x in self.inputs]


def refused_beyond_two(x: torch.Tensor) -> torch.Tensor:
    return x.exp() if x.numel() == 2 else torch.special.bessel_j0(x)


def test_each_refused_sample_is_counted(monkeypatch):
    two, three = torch.tensor([0.3, 1.7]), torch.tensor([0.3, 0.7, 1.1])
    monkeypatch.setitem(REFUSED, "made up", {"aten.special_bessel_j0": 1})
    judged("made up", [SampleOf(refused_beyond_two, two, three)], near)
    with pytest.raises(AssertionError):
        judged("made up", [SampleOf(refused_beyond_two, two, three, three)], near)


def test_whole_numbers_alone_are_not_compared():
    _, compared = judged("made up", [SampleOf(torch.argmax, torch.tensor([0.3, 1.7]))], near)
    assert compared == 0


@pytest.mark.parametrize(
    ("op", "judge"),
    [
        (torch.special.bessel_j0, near),
        (refused_beyond_two, near),
        (lambda x: x.exp() if torch._C._len_torch_dispatch_stack() == 0 else x.exp() * 1.001, near),
        (lambda x: x.argmax() + (x.dtype == torch.float32), near),
        (lambda x: x if x.dtype == torch.float64 else x * (1 + 2.0**-23), moved),
    ],
    ids=["all refused", "one refused", "off", "another whole number", "rounded"],
)
def test_what_is_wrong_or_refused_is_noticed(op, judge):
    samples = SampleOf(op, torch.tensor([0.3, 1.7]), torch.tensor([0.3, 0.7, 1.1]))
    with pytest.raises(AssertionError):
        judged("made up", [samples], judge)

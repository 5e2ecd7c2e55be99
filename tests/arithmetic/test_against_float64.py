"""Values and derivatives of covered operations near those that torch computes in float64."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.nn import functional

import samebits


def values_and_gradients(function: Callable[..., Tensor], inputs: list[Tensor]) -> list[Tensor]:
    """The result, and the gradient of every input for a fixed gradient of the result."""
    leaves = [x.detach().clone().requires_grad_() for x in inputs]
    result = function(*leaves)
    result.backward(torch.linspace(-1, 1, result.numel(), dtype=result.dtype).view(result.shape))
    return [result.detach(), *(x.grad for x in leaves if x.grad is not None)]


def check(function: Callable[..., Tensor], *inputs: Tensor, tolerance: float = 2e-5) -> None:
    with samebits.exact():
        found = values_and_gradients(function, list(inputs))
    wanted = values_and_gradients(function, [x.double() for x in inputs])
    assert len(found) == len(wanted)
    for own, right in zip(found, wanted, strict=True):
        error = (own.double() - right).abs().max() / right.abs().max().clamp(min=1e-9)
        assert error < tolerance


CONVOLUTIONS = [  # stride, padding, dilation, groups, kernel
    (1, 1, 1, 1, 3),
    (2, 1, 1, 1, 3),
    (1, 0, 1, 1, 1),
    (2, 0, 1, 1, 1),
    (1, 2, 2, 1, 3),
    (3, 1, 1, 1, 2),
    (1, 1, 1, 2, 3),
    (2, 3, 1, 1, 7),
    (2, 1, 3, 4, 3),
    (4, 0, 1, 1, 4),
    (1, 1, 1, 8, 3),
]


@pytest.mark.parametrize(("stride", "padding", "dilation", "groups", "size"), CONVOLUTIONS)
def test_convolutions(stride, padding, dilation, groups, size):
    weight, bias = torch.randn(16, 8 // groups, size, size), torch.randn(16)
    check(
        lambda x, w, b: functional.conv2d(x, w, b, stride, padding, dilation, groups),
        torch.randn(3, 8, 17, 19),
        weight,
        bias,
    )
    more = min(stride, dilation) - 1 if stride > 1 else 0
    check(
        lambda x, w, b: functional.conv_transpose2d(
            x, w, b, stride, padding, more, groups, dilation
        ),
        torch.randn(3, 8, 7, 9),
        torch.randn(8, 16 // groups, size, size),
        bias,
    )


def test_convolutions_of_one_and_three_axes_and_of_many_channels():
    randn = torch.randn
    check(
        lambda x, w, b: functional.conv1d(x, w, b, 2, 2), randn(3, 5, 33), randn(7, 5, 4), randn(7)
    )
    check(
        lambda x, w, b: functional.conv3d(x, w, b, (1, 2, 1), (1, 0, 2)),
        randn(2, 3, 6, 7, 8),
        randn(5, 3, 3, 2, 3),
        randn(5),
    )
    check(
        lambda x, w: functional.conv2d(x, w, None, 1, 1), randn(2, 600, 5, 5), randn(6, 600, 3, 3)
    )


MASK = torch.linspace(-2, 2, 400).view(20, 20)
INDEX = torch.tensor([3, 0, 3, 6, 2, 3])
ROW, COLUMN = torch.tensor([1, 1, 0]), torch.tensor([0, 0, 2])
TARGET = torch.tensor([1, 0, 12, 3, 3, 7, 2, 11, 5])
OTHER = torch.linspace(-3, 3, 9 * 13).sin().view(9, 13)

FUNCTIONS: dict[str, tuple[Callable[..., Tensor], list[tuple[int, ...]]]] = {
    "layer_norm": (
        lambda x, w, b: functional.layer_norm(x, (37,), w, b),
        [(5, 4, 37), (37,), (37,)],
    ),
    "group_norm": (
        lambda x, w, b: functional.group_norm(x, 3, w, b),
        [(5, 12, 4, 3), (12,), (12,)],
    ),
    "batch_norm": (
        lambda x, w, b: functional.batch_norm(x, None, None, w, b, True),
        [(5, 12, 4, 3), (12,), (12,)],
    ),
    "instance_norm": (lambda x: functional.instance_norm(x), [(5, 3, 8, 8)]),
    "softmax": (lambda x: functional.softmax(x, 1), [(5, 12, 4)]),
    "log_softmax": (lambda x: functional.log_softmax(x, -1), [(3, 5000)]),
    "attention": (
        lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, is_causal=True),
        [(2, 3, 20, 8)] * 3,
    ),
    "masked attention": (
        lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, MASK.to(q.dtype)),
        [(2, 3, 20, 8)] * 3,
    ),
    "avg_pool2d": (lambda x: functional.avg_pool2d(x, 3, 2, 1), [(2, 3, 9, 11)]),
    "avg_pool2d, uneven": (
        lambda x: functional.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False),
        [(2, 3, 9, 12)],
    ),
    "max_pool2d": (lambda x: functional.max_pool2d(x, 3, 2, 1), [(2, 3, 9, 11)]),
    "adaptive_avg_pool2d": (lambda x: functional.adaptive_avg_pool2d(x, (4, 3)), [(2, 3, 9, 11)]),
    "embedding": (lambda w: functional.embedding(INDEX, w), [(7, 20)]),
    "embedding, by frequency": (
        lambda w: functional.embedding(INDEX, w, padding_idx=2, scale_grad_by_freq=True),
        [(7, 20)],
    ),
    "interpolate": (lambda x: functional.interpolate(x, scale_factor=2), [(2, 3, 5, 6)]),
    "gelu": (functional.gelu, [(9, 13)]),
    "gelu, tanh": (lambda x: functional.gelu(x, approximate="tanh"), [(9, 13)]),
    "silu": (functional.silu, [(9, 13)]),
    "softplus": (functional.softplus, [(9, 13)]),
    "elu": (functional.elu, [(9, 13)]),
    "leaky_relu": (functional.leaky_relu, [(9, 13)]),
    "hardtanh": (functional.hardtanh, [(9, 13)]),
    "logsigmoid": (functional.logsigmoid, [(9, 13)]),
    "var": (lambda x: x.var(0), [(9, 13)]),
    "std": (lambda x: x.std((0, 1)), [(9, 13)]),
    "norm": (lambda x: x / x.norm(dim=1, keepdim=True), [(9, 13)]),
    "logsumexp": (lambda x: x.logsumexp(1), [(9, 13)]),
    "functions": (lambda x: x.exp().log1p().sqrt().sin().cos().tanh().erf(), [(9, 13)]),
    "indexing": (lambda x: x[ROW, COLUMN], [(9, 13)]),
    "cumsum": (lambda x: x.cumsum(1), [(9, 13)]),
    "powers": (lambda x: x**3 + x**2 + (x * x + 1) ** 0.5 + (x * x + 1) ** -1, [(9, 13)]),
    "clamp": (lambda x: x.clamp(-0.5, 0.5), [(9, 13)]),
    "products": (
        lambda a, b, c: torch.baddbmm(c, a, b, beta=0.5, alpha=2),
        [(2, 3, 5), (2, 5, 4), (3, 4)],
    ),
    "vectors": (lambda a, x: (a @ x).dot(x[:3]), [(3, 5), (5,)]),
    "mse_loss": (lambda x: functional.mse_loss(x, OTHER.to(x.dtype)), [(9, 13)]),
    "l1_loss": (lambda x: functional.l1_loss(x, OTHER.to(x.dtype)), [(9, 13)]),
    "smooth_l1_loss": (lambda x: functional.smooth_l1_loss(x, OTHER.to(x.dtype)), [(9, 13)]),
    "huber_loss": (lambda x: functional.huber_loss(x, OTHER.to(x.dtype), delta=0.7), [(9, 13)]),
    "bce": (
        lambda x: functional.binary_cross_entropy(x.sigmoid(), OTHER.sigmoid().to(x.dtype)),
        [(9, 13)],
    ),
    "bce with logits": (
        lambda x: functional.binary_cross_entropy_with_logits(x, OTHER.sigmoid().to(x.dtype)),
        [(9, 13)],
    ),
    "cross_entropy": (lambda x: functional.cross_entropy(x, TARGET), [(9, 13)]),
    "cross_entropy, smoothed and weighted": (
        lambda x: functional.cross_entropy(
            x, TARGET, OTHER[0].abs().to(x.dtype), label_smoothing=0.1
        ),
        [(9, 13)],
    ),
    "nll_loss, some ignored": (
        lambda x: functional.nll_loss(functional.log_softmax(x, 1), TARGET, ignore_index=3),
        [(9, 13)],
    ),
    "kl_div": (
        lambda x: functional.kl_div(
            x.log_softmax(1), OTHER.softmax(1).to(x.dtype), reduction="batchmean"
        ),
        [(9, 13)],
    ),
    "cosine_similarity": (lambda x: functional.cosine_similarity(x, OTHER.to(x.dtype)), [(9, 13)]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    function, shapes = FUNCTIONS[name]
    check(function, *(torch.randn(shape) for shape in shapes))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_halves_round_once(dtype):
    x, y = torch.randn(50, 70), torch.randn(70, 30)
    with samebits.exact():
        low_x, low_y = x.to(dtype), y.to(dtype)
        assert (low_x @ low_y).equal((low_x.float() @ low_y.float()).to(dtype))
        assert low_x.exp().equal(low_x.float().exp().to(dtype))
        assert (low_x + low_x[0]).equal((low_x.float() + low_x[0].float()).to(dtype))
        assert low_x.sum(0).equal(low_x.float().sum(0).to(dtype))
        # Just above the middle between 1 and the next number: rounding twice would go down.
        step = 2.0**-7 if dtype == torch.bfloat16 else 2.0**-10
        above = torch.tensor([1 + step / 2 + 2.0**-40], dtype=torch.float64)
        assert above.to(dtype).item() == 1 + step


def test_a_group_norm_with_a_bias_alone():
    x, bias = torch.arange(32.0).view(1, 4, 8), torch.tensor([0.0, 10, 20, 30])
    with samebits.exact():
        found = torch.nn.functional.group_norm(x, 2, None, bias)
    right = torch.nn.functional.group_norm(x.double(), 2, None, bias.double())
    assert (found.double() - right).abs().max() < 1e-5

"""Every derivative in the table against finite differences.

Where exact arithmetic has float64, by torch.autograd.gradcheck inside `exact()`. Functions that are
defined in binary32 alone (exp, softmax, GELU and what is made of them) are refused in float64; the
float32 derivative of these is compared with differences of torch's own float64 function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from tests.arithmetic import formula_cases
from torch import Tensor
from torch.autograd import gradcheck
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode

import samebits
from samebits.arithmetic.operations import all as _all  # noqa: F401  fills the table
from samebits.arithmetic.registry import ENTRIES


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Thousands of small calls would wait for a second thread; other tests show that none counts.

    See test_independence.py.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


Case = tuple[Callable[..., Tensor], list[tuple[int, ...]]]

INDEX = torch.tensor([[2, 0], [1, 2]])
CLASSES = torch.tensor([1, 0, 3, 2])
PLACES = torch.tensor([[[1, 0], [3, 2]], [[0, 1], [2, 2]]])
OTHER = torch.linspace(-2, 2, 20, dtype=torch.float64).view(4, 5).cos()
MASK = torch.linspace(-2, 2, 25, dtype=torch.float64).view(5, 5)
CHANCES, SHARES = OTHER.sigmoid(), OTHER.softmax(1)
RUNNING = torch.linspace(0.5, 1.5, 4, dtype=torch.float64)

IN_FLOAT64: dict[str, Case] = {
    "conv1d": (lambda x, w, b: functional.conv1d(x, w, b, 2, 1), [(2, 3, 9), (4, 3, 3), (4,)]),
    "conv2d": (
        lambda x, w, b: functional.conv2d(x, w, b, (2, 1), (1, 2), (1, 2), 2),
        [(2, 4, 6, 7), (4, 2, 3, 2), (4,)],
    ),
    "conv3d": (
        lambda x, w: functional.conv3d(x, w, None, 1, 1),
        [(1, 2, 3, 4, 3), (3, 2, 2, 3, 2)],
    ),
    "conv_transpose2d": (
        lambda x, w, b: functional.conv_transpose2d(x, w, b, 2, 1, 1),
        [(2, 3, 4, 3), (3, 2, 3, 3), (2,)],
    ),
    "products": (
        lambda a, b, c: torch.baddbmm(c, a, b, beta=0.5, alpha=2),
        [(2, 3, 5), (2, 5, 4), (3, 4)],
    ),
    "lstm": (
        lambda x, h, c, *parts: torch.cat(
            torch.lstm(x, (h, c), parts, True, 1, 0.0, True, False, False)
        ),
        [(3, 2, 4), (1, 2, 3), (1, 2, 3), (12, 4), (12, 3), (12,), (12,)],
    ),
    "gru": (
        lambda x, h, *parts: torch.cat(torch.gru(x, h, parts, True, 1, 0.0, True, False, False)),
        [(3, 2, 4), (1, 2, 3), (9, 4), (9, 3), (9,), (9,)],
    ),
    "addmm": (torch.addmm, [(4,), (3, 5), (5, 4)]),
    "vectors": (lambda a, x: (a @ x).dot(x[:3]), [(3, 5), (5,)]),
    "layer_norm": (
        lambda x, w, b: functional.layer_norm(x, (3, 4), w, b),
        [(2, 3, 4), (3, 4), (3, 4)],
    ),
    "group_norm": (lambda x, w, b: functional.group_norm(x, 2, w, b), [(2, 4, 3), (4,), (4,)]),
    "batch_norm": (
        lambda x, w, b: functional.batch_norm(x, None, None, w, b, True),
        [(3, 4, 2, 3), (4,), (4,)],
    ),
    "batch_norm, evaluating": (
        lambda x, w, b: functional.batch_norm(x, RUNNING, RUNNING, w, b),
        [(3, 4, 2), (4,), (4,)],
    ),
    "instance_norm": (functional.instance_norm, [(2, 3, 4, 4)]),
    "avg_pool2d": (lambda x: functional.avg_pool2d(x, 3, 2, 1, True, False), [(2, 2, 6, 5)]),
    "avg_pool3d": (lambda x: functional.avg_pool3d(x, 2, 1), [(1, 2, 3, 4, 3)]),
    "max_pool1d": (lambda x: functional.max_pool1d(x, 3, 2, 1), [(2, 2, 9)]),
    "max_pool2d": (lambda x: functional.max_pool2d(x, 3, 2, 1), [(2, 2, 6, 5)]),
    "max_pool3d": (lambda x: functional.max_pool3d(x, 2), [(1, 2, 4, 4, 2)]),
    "adaptive_avg_pool2d": (lambda x: functional.adaptive_avg_pool2d(x, (2, 3)), [(2, 2, 5, 4)]),
    "upsample_nearest2d": (lambda x: functional.interpolate(x, scale_factor=2), [(2, 2, 3, 2)]),
    "embedding": (
        lambda w: functional.embedding(INDEX, w),
        [(3, 4)],
    ),
    "indexing": (lambda x: x[INDEX, INDEX.t()], [(3, 4)]),
    "gather": (lambda x: x.gather(0, INDEX), [(3, 2)]),
    "scatter_add": (lambda x, y: x.scatter_add(0, INDEX, y), [(3, 2), (2, 2)]),
    "index_add": (lambda x, y: x.index_add(0, INDEX[0], y), [(3, 4), (2, 4)]),
    "index_select": (lambda x: x.index_select(1, INDEX[1]), [(3, 4)]),
    "cumsum": (lambda x: x.cumsum(1), [(3, 4)]),
    "relu": (functional.relu, [(4, 5)]),
    "leaky_relu": (functional.leaky_relu, [(4, 5)]),
    "hardtanh": (functional.hardtanh, [(4, 5)]),
    "clamp": (lambda x: x.clamp(-0.5, 0.5), [(4, 5)]),
    "maximum": (torch.maximum, [(4, 5), (5,)]),
    "max": (lambda x: x.amax(1), [(4, 5)]),
    "where": (lambda x, y: torch.where(OTHER > 0, x, y), [(4, 5), (4, 5)]),
    "arithmetic": (lambda x, y: (x * y - x / (y * y + 1) + y) / 3, [(4, 5), (5,)]),
    "addcmul": (lambda x, y, z: torch.addcmul(x, y, z, value=0.5), [(4, 5), (5,), (4, 1)]),
    "addcdiv": (lambda x, y, z: torch.addcdiv(x, y, z * z + 1, value=2), [(4, 5), (5,), (4, 1)]),
    "lerp": (lambda x, y: torch.lerp(x, y, 0.3), [(4, 5), (4, 5)]),
    "lerp by a tensor": (lambda x, y: torch.lerp(x, y, OTHER), [(4, 5), (4, 5)]),
    "powers": (lambda x: x**3 + x**2 + (x * x + 1) ** 0.5 + (x * x + 1) ** -1, [(4, 5)]),
    "roots": (lambda x: (x * x + 1).sqrt() + (x * x + 1).rsqrt(), [(4, 5)]),
    "sum and mean": (lambda x: x.sum(0) + x.mean(), [(4, 5)]),
    "var and std": (lambda x: x.var(0) + x.std(), [(4, 5)]),
    "norm": (lambda x: x.norm(dim=1), [(4, 5)]),
    "norm of order 1": (lambda x: x.norm(p=1, dim=1), [(4, 5)]),
    "mse_loss": (lambda x: functional.mse_loss(x, OTHER), [(4, 5)]),
    "l1_loss": (lambda x: functional.l1_loss(x, OTHER), [(4, 5)]),
    "smooth_l1_loss": (lambda x: functional.smooth_l1_loss(x, OTHER, beta=0.5), [(4, 5)]),
    "huber_loss": (lambda x: functional.huber_loss(x, OTHER, delta=0.7), [(4, 5)]),
    "nll_loss": (lambda x: functional.nll_loss(x, CLASSES, OTHER[0], ignore_index=3), [(4, 5)]),
    "nll_loss of images": (lambda x: functional.nll_loss(x, PLACES), [(2, 4, 2, 2)]),
    "cosine_similarity": (lambda x: functional.cosine_similarity(x, OTHER), [(4, 5)]),
}

BY_DIFFERENCES: dict[str, Case] = {
    **{
        name: (lambda x, name=name: getattr(torch, name)(x), [(4, 5)])
        for name in ("exp", "exp2", "expm1", "sin", "cos", "tanh", "erf", "sigmoid")
    },
    **{
        name: (lambda x, name=name: getattr(torch, name)(x * x + 0.5), [(4, 5)])
        for name in ("log", "log2", "log10", "log1p")
    },
    "gelu": (functional.gelu, [(4, 5)]),
    "gelu, tanh": (lambda x: functional.gelu(x, approximate="tanh"), [(4, 5)]),
    "silu": (functional.silu, [(4, 5)]),
    "elu": (functional.elu, [(4, 5)]),
    "selu": (functional.selu, [(4, 5)]),
    "softplus": (lambda x: functional.softplus(x, 2, 1), [(4, 5)]),
    "logsigmoid": (functional.logsigmoid, [(4, 5)]),
    "softmax": (lambda x: functional.softmax(x, 0), [(4, 5)]),
    "log_softmax": (lambda x: functional.log_softmax(x, 1), [(4, 5)]),
    "logsumexp": (lambda x: x.logsumexp(1), [(4, 5)]),
    "attention": (
        lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, is_causal=True),
        [(1, 2, 5, 4)] * 3,
    ),
    "masked attention": (
        lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, MASK.to(q.dtype)),
        [(1, 2, 5, 4)] * 3,
    ),
    "binary_cross_entropy": (
        lambda x: functional.binary_cross_entropy(x.sigmoid(), CHANCES.to(x.dtype)),
        [(4, 5)],
    ),
    "binary_cross_entropy_with_logits": (
        lambda x: functional.binary_cross_entropy_with_logits(x, CHANCES.to(x.dtype)),
        [(4, 5)],
    ),
    "cross_entropy": (
        lambda x: functional.cross_entropy(x, CLASSES, label_smoothing=0.1),
        [(4, 5)],
    ),
    "kl_div": (
        lambda x: functional.kl_div(x.log_softmax(1), SHARES.to(x.dtype), reduction="sum"),
        [(4, 5)],
    ),
}


IN_FLOAT64 |= formula_cases.IN_FLOAT64
BY_DIFFERENCES |= formula_cases.BY_DIFFERENCES


def inputs(shapes: list[tuple[int, ...]]) -> list[Tensor]:
    """Numbers that are the same in float32 and float64."""
    source = torch.Generator().manual_seed(7)
    return [torch.randn(shape, generator=source).double() for shape in shapes]


@pytest.mark.parametrize("name", IN_FLOAT64)
def test_gradcheck(name):
    function, shapes = IN_FLOAT64[name]
    leaves = [x.requires_grad_() for x in inputs(shapes)]
    with samebits.exact():
        assert gradcheck(function, leaves)


@pytest.mark.parametrize("name", BY_DIFFERENCES)
def test_float32_against_differences_in_float64(name):
    function, shapes = BY_DIFFERENCES[name]
    points = inputs(shapes)
    leaves = [x.float().requires_grad_() for x in points]
    with samebits.exact():
        result = function(*leaves)
        slope = torch.linspace(-1, 1, result.numel()).view(result.shape).cos()
        result.backward(slope)
    step = 2.0**-17
    for place, leaf in enumerate(leaves):
        differences = torch.empty(leaf.numel(), dtype=torch.float64)
        for i in range(leaf.numel()):
            ends = []
            for sign in (1, -1):
                moved = [x.clone() for x in points]
                moved[place].view(-1)[i] += sign * step
                ends.append((function(*moved) * slope.double()).sum())
            differences[i] = (ends[0] - ends[1]) / (2 * step)
        torch.testing.assert_close(
            leaf.grad.double(), differences.view(leaf.shape), rtol=2e-5, atol=2e-6
        )


class Names(TorchDispatchMode):
    """The operations that reach an exact block below it."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        self.seen.add(str(func).removesuffix(".default"))
        return func(*args, **(kwargs or {}))


def test_every_derivative_in_the_table_is_among_these():
    with Names() as names, samebits.exact():
        for dtype, cases in ((torch.float64, IN_FLOAT64), (torch.float32, BY_DIFFERENCES)):
            for function, shapes in cases.values():
                result = function(*(x.to(dtype).requires_grad_() for x in inputs(shapes)))
                result.backward(torch.ones_like(result))
    into = (".grad_input", ".out")
    entered = {name for name in ENTRIES if "backward" in name and not name.endswith(into)}
    assert entered - names.seen == set()

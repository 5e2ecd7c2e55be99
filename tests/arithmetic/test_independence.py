"""Results do not depend on threads, builds, strides, alignment or what else is in the batch."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from tests.arithmetic.conftest import builds
from torch import Tensor
from torch.nn import functional

import samebits
from samebits.arithmetic import _exact

THREADS = (1, 2, 3, 7)

Case = tuple[Callable[..., Tensor], list[tuple[int, ...]]]

# Large enough that seven threads each get something to do.
CASES: dict[str, Case] = {
    "mm": (torch.mm, [(150, 600), (600, 130)]),
    "deep mm": (torch.mm, [(5, 20000), (20000, 9)]),
    "bmm": (torch.bmm, [(9, 30, 70), (9, 70, 40)]),
    "mv": (torch.mv, [(700, 300), (300,)]),
    "linear": (functional.linear, [(5, 40, 64), (48, 64), (48,)]),
    "conv1d": (lambda x, w: functional.conv1d(x, w, None, 2, 3), [(6, 7, 200), (16, 7, 5)]),
    "conv2d": (
        lambda x, w, b: functional.conv2d(x, w, b, 1, 1),
        [(9, 8, 20, 21), (24, 8, 3, 3), (24,)],
    ),
    "grouped conv2d": (
        lambda x, w: functional.conv2d(x, w, None, 2, 1, 1, 8),
        [(9, 8, 20, 21), (16, 1, 3, 3)],
    ),
    "conv_transpose2d": (
        lambda x, w: functional.conv_transpose2d(x, w, None, 2, 1),
        [(8, 6, 11, 9), (6, 10, 3, 3)],
    ),
    "sum": (torch.sum, [(300, 400)]),
    "sum of columns": (lambda x: x.sum(0), [(900, 200)]),
    "sum of rows": (lambda x: x.sum(1), [(200, 900)]),
    "var": (lambda x: x.var((0, 2)), [(30, 20, 50)]),
    "norm": (lambda x: x.norm(dim=1), [(200, 300)]),
    "cumsum": (lambda x: x.cumsum(1), [(60, 200)]),
    "cumprod": (lambda x: x.cumprod(1), [(60, 200)]),
    "logcumsumexp": (lambda x: x.logcumsumexp(1), [(60, 40)]),
    "prod": (lambda x: (x + 1).prod(1), [(60, 200)]),
    "norm of another order": (lambda x: x.norm(3, 1), [(200, 300)]),
    "weight_norm": (lambda v, g: torch._weight_norm(v, g, 0), [(60, 20, 9), (60, 1, 1)]),
    "prelu": (functional.prelu, [(90, 40, 15), (40,)]),
    "glu": (functional.glu, [(150, 400)]),
    "mish": (functional.mish, [(150, 400)]),
    "hardswish": (functional.hardswish, [(150, 400)]),
    "bilinear interpolation": (
        lambda x: functional.interpolate(x, (37, 23), mode="bilinear"),
        [(8, 6, 30, 29)],
    ),
    "bicubic interpolation": (
        lambda x: functional.interpolate(x, (37, 23), mode="bicubic"),
        [(8, 6, 30, 29)],
    ),
    "reflection": (lambda x: functional.pad(x, (3, 4, 2, 5), "reflect"), [(8, 6, 30, 29)]),
    "fold": (
        lambda x: functional.fold(functional.unfold(x, 3, 1, 1) ** 2, (15, 14), 3, 1, 1),
        [(8, 6, 15, 14)],
    ),
    "grid_sample": (
        lambda x, grid: functional.grid_sample(x, grid * 0.6, align_corners=False),
        [(8, 6, 15, 14), (8, 20, 17, 2)],
    ),
    "embedding_bag": (
        lambda w: functional.embedding_bag(
            torch.arange(900) ** 2 % 50, w, torch.arange(90) * 10, mode="mean"
        ),
        [(50, 40)],
    ),
    "bilinear": (functional.bilinear, [(60, 30), (60, 40), (20, 30, 40), (20,)]),
    "cdist": (lambda x, y: torch.cdist(x, y, 2.0), [(70, 30), (60, 30)]),
    "scatter_reduce": (
        lambda x, y: x.scatter_reduce(
            0, (torch.arange(700) % 31)[:, None].expand(-1, 60), y, "mean"
        ),
        [(40, 60), (700, 60)],
    ),
    "multi_margin_loss": (
        lambda x: functional.multi_margin_loss(x, torch.arange(600) % 50),
        [(600, 50)],
    ),
    "remainder": (lambda x, y: x % y, [(150, 400), (150, 1)]),
    "softmax": (lambda x: functional.softmax(x, -1), [(300, 200)]),
    "softmax of columns": (lambda x: functional.softmax(x, 0), [(200, 300)]),
    "log_softmax": (lambda x: functional.log_softmax(x, -1), [(300, 200)]),
    "layer_norm": (lambda x, w: functional.layer_norm(x, (128,), w), [(400, 128), (128,)]),
    "batch_norm": (
        lambda x, w, b: functional.batch_norm(x, None, None, w, b, True),
        [(16, 12, 20, 15), (12,), (12,)],
    ),
    "group_norm": (lambda x, w: functional.group_norm(x, 4, w), [(20, 16, 9, 8), (16,)]),
    "attention": (
        lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, is_causal=True),
        [(3, 4, 50, 16)] * 3,
    ),
    "max_pool2d": (lambda x: functional.max_pool2d(x, 3, 2, 1), [(8, 6, 30, 29)]),
    "avg_pool2d": (lambda x: functional.avg_pool2d(x, 3, 2, 1), [(8, 6, 30, 29)]),
    "gelu": (functional.gelu, [(150, 400)]),
    "tanh": (torch.tanh, [(150, 400)]),
    "broadcast": (lambda x, y: x * y + y / (x * x + 1), [(150, 400), (150, 1)]),
    "index_add": (
        lambda x, y: x.index_add(0, torch.arange(700) % 31, y),
        [(40, 60), (700, 60)],
    ),
    "embedding": (
        lambda w: functional.embedding(torch.arange(900).view(9, 100) ** 2 % 50, w),
        [(50, 40)],
    ),
    "cross_entropy": (
        lambda x: functional.cross_entropy(x, torch.arange(600) % 50, label_smoothing=0.1),
        [(600, 50)],
    ),
}


def results(name: str, arranged: Callable[[Tensor], Tensor] = lambda x: x) -> list[Tensor]:
    """The result of a case and the gradients of its inputs, which `arranged` lays out in memory."""
    function, shapes = CASES[name]
    source = torch.Generator().manual_seed(3)
    leaves = []
    for shape in shapes:
        value = arranged(torch.randn(shape, generator=source))
        leaves.append(value.detach().requires_grad_())
    result = function(*leaves)
    gradient = torch.randn(result.shape, generator=source)
    result.backward(arranged(gradient) if result.ndim else gradient)
    return [result.detach(), *(leaf.grad for leaf in leaves)]


def reference(name: str) -> str:
    torch.set_num_threads(1)
    with samebits.exact():
        return samebits.fingerprint(results(name))


@pytest.mark.parametrize("name", CASES)
def test_threads_and_builds(name):
    wanted = reference(name)
    for place, build in enumerate(builds()):
        assert _exact.set_isa(build)
        for threads in THREADS if place == 0 else THREADS[-1:]:
            torch.set_num_threads(threads)
            with samebits.exact():
                assert samebits.fingerprint(results(name)) == wanted, f"{build}, {threads} threads"


def turned(x: Tensor) -> Tensor:
    """The same values, the first axis running fastest."""
    return x.permute(*reversed(range(x.ndim))).contiguous().permute(*reversed(range(x.ndim)))


def in_gaps(x: Tensor) -> Tensor:
    """The same values, every second one of a larger tensor, and off by one number."""
    wide = torch.full((*x.shape[:-1], 2 * x.shape[-1] + 1), float("nan"))
    wide[..., 1::2] = x
    return wide[..., 1::2]


def unaligned(x: Tensor) -> Tensor:
    """The same values, three numbers behind an aligned address."""
    memory = torch.zeros(x.numel() + 3)
    memory[3:] = x.reshape(-1)
    return memory[3:].view(x.shape)


def images_last(x: Tensor) -> Tensor:
    """The same values, channels running fastest where there are images."""
    return x.contiguous(memory_format=torch.channels_last) if x.ndim == 4 else x


@pytest.mark.parametrize("arranged", [turned, in_gaps, unaligned, images_last])
@pytest.mark.parametrize("name", CASES)
def test_strides_and_alignment(name, arranged):
    wanted = reference(name)
    torch.set_num_threads(2)
    with samebits.exact():
        assert samebits.fingerprint(results(name, arranged)) == wanted


ROWS = [
    "linear", "conv1d", "conv2d", "grouped conv2d", "conv_transpose2d", "softmax", "log_softmax",
    "layer_norm", "group_norm", "attention", "max_pool2d", "avg_pool2d", "gelu", "sum of rows",
    "norm", "cumsum", "cumprod", "logcumsumexp", "prod", "norm of another order", "prelu", "glu",
    "mish", "hardswish", "bilinear interpolation", "bicubic interpolation", "reflection", "fold",
    "bilinear", "cdist", "grid_sample",
]  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_a_row_alone_and_in_any_batch(name):
    function, shapes = CASES[name]
    inputs = [torch.randn(shape) for shape in shapes]
    batched = {"attention": 3, "bilinear": 2, "grid_sample": 2}.get(name, 1)
    with samebits.exact(), torch.no_grad():
        whole = function(*inputs)
        for rows in ([0], [2], [1, 0], [2, 2, 1]):
            part = function(*(x[rows] for x in inputs[:batched]), *inputs[batched:])
            assert part.equal(whole[rows])


DRAWN = {
    "rand": lambda n: torch.rand(n),
    "randn": lambda n: torch.randn(n),
    "randint": lambda n: torch.randint(1000, (n,)),
    "randperm": torch.randperm,
    "exponential": lambda n: torch.empty(n).exponential_(),
    "bernoulli": lambda n: torch.full((n,), 0.3).bernoulli(),
    "dropout": lambda n: functional.dropout(torch.ones(n), 0.4),
    "multinomial": lambda n: torch.multinomial(torch.linspace(1, 2, 300), n, True),
}


@pytest.mark.parametrize("name", DRAWN)
def test_random_numbers_with_every_thread_count(name):
    found = set()
    for threads in THREADS:
        torch.set_num_threads(threads)
        torch.manual_seed(5)
        with samebits.exact():
            found.add(samebits.fingerprint(DRAWN[name](100_003)))
    assert len(found) == 1

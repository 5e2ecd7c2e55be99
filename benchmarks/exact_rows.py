"""Operations that exact arithmetic must not slow down, and the ratio to torch that each must reach.

A row makes its tensors and returns what is timed: a call for both sides, or a pair of calls, inside
the block and torch's own. "Both ways" is a call and its derivative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import compiled
import torch
from torch import Tensor, nn
from torch.nn import functional

Call = Callable[[], object]
randn, randint = torch.randn, torch.randint


def both_ways(call: Callable[..., Tensor], *inputs: Tensor) -> Call:
    """The call and its derivative with respect to every floating input."""
    leaves = [x.requires_grad_() for x in inputs if x.is_floating_point()]
    grad = torch.randn_like(call(*inputs))
    return lambda: torch.autograd.grad(call(*inputs), leaves, grad)


def _of(call: Callable[..., Any], *inputs: Any) -> Call:
    return lambda: call(*inputs)


def _recurrent(kind: type[nn.RNNBase], width: int) -> Call:
    """16 sequences of 32 steps, both ways."""
    layer, x_BTD = kind(width, width, batch_first=True), randn(16, 32, width)

    def step() -> None:
        layer.zero_grad()
        layer(x_BTD)[0].sum().backward()

    return step


def _evaluated_norm() -> Call:
    norm, x_NCHW = nn.BatchNorm2d(64).eval(), randn(16, 64, 28, 28)

    def call() -> Tensor:
        with torch.no_grad():
            return norm(x_NCHW)  # type: ignore[no-any-return]

    return call


def _convolution(channels: int, size: int) -> Call:
    x_NCHW, w_OCHW = randn(32, channels, size, size), randn(channels, channels, 3, 3)
    return lambda: functional.conv2d(x_NCHW, w_OCHW, padding=1)


def _bags() -> Call:
    table_VD, index = randn(50_000, 64), randint(0, 50_000, (8192,))
    return _of(functional.embedding_bag, index, table_VD, torch.arange(0, 8192, 16))


def _doubled(x: Tensor) -> Tensor:
    return functional.interpolate(x, scale_factor=2, mode="bilinear")


def _sampled(x: Tensor, grid: Tensor) -> Tensor:
    return functional.grid_sample(x, grid, align_corners=False)


def _normalised(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return functional.layer_norm(x, (256,), weight, bias)


def _normalised_in_groups(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return functional.group_norm(x, 8, weight, bias)


def _rows_added() -> tuple[Tensor, Tensor, Tensor]:
    return randn(10_000, 64), randint(0, 10_000, (8192,)), randn(8192, 64)


def _scattered(x: Tensor, index: Tensor, source: Tensor) -> Tensor:
    return x.scatter_add(0, index[:, None].expand(-1, 64), source)


def _single_values() -> Call:
    """A quarter of a million values, four for each place."""
    x, index, source = randn(1 << 16), randint(0, 1 << 16, (1 << 18,)), randn(1 << 18)
    return _of(torch.scatter_add, x, 0, index, source)


def _indexed(x: Tensor, index: Tensor, source: Tensor) -> Tensor:
    return x.index_add(0, index, source)


def _compiled_product(m: int, k: int, n: int) -> tuple[Call, Call]:
    """Compiled by our backend inside the block, and as it is written outside."""
    a_MK, b_KN = randn(m, k), randn(k, n)

    def product(a: Tensor, b: Tensor) -> Tensor:
        return a @ b

    inside = torch.compile(product, backend=compiled.BACKEND)
    return _of(inside, a_MK, b_KN), _of(product, a_MK, b_KN)


def _compiled_step() -> tuple[Call, Call]:
    return compiled.tiny_mlp(compiled.BACKEND), compiled.tiny_mlp(None)


ROWS: dict[str, tuple[float, Callable[[], Call | tuple[Call, Call]]]] = {
    "logcumsumexp of 1000": (2.0, lambda: _of(torch.logcumsumexp, randn(1000), 0)),
    "prod of 1 M": (1.5, lambda: _of(torch.prod, 1 + randn(1 << 20) / 1000)),
    "cumsum of 2 M": (1.5, lambda: _of(torch.cumsum, randn(1 << 21), 0)),
    "cumsum of 1000x1000, down": (1.5, lambda: _of(torch.cumsum, randn(1000, 1000), 0)),
    "cumsum of 1000x1000, along": (1.5, lambda: _of(torch.cumsum, randn(1000, 1000), 1)),
    "embedding_bag 512 of 16": (1.3, _bags),
    "cross_entropy 64x10, both ways": (
        1.5,
        lambda: both_ways(functional.cross_entropy, randn(64, 10), randint(0, 10, (64,))),
    ),
    "cdist 256x300x64": (1.5, lambda: _of(torch.cdist, randn(256, 64), randn(300, 64))),
    "conv2d 512 channels, 4x4": (1.3, lambda: _convolution(512, 4)),
    "conv2d 256 channels, 8x8": (1.1, lambda: _convolution(256, 8)),
    "mm 1x4096x4096": (1.1, lambda: _of(torch.mm, randn(1, 4096), randn(4096, 4096))),
    "layer 1x4096x4096": (
        1.1,
        lambda: _of(functional.linear, randn(1, 4096), randn(4096, 4096), randn(4096)),
    ),
    "mv 4096x4096": (1.1, lambda: _of(torch.mv, randn(4096, 4096), randn(4096))),
    "mm bfloat16 512^3": (
        1.5,
        lambda: _of(torch.mm, randn(512, 512).bfloat16(), randn(512, 512).bfloat16()),
    ),
    "mm 8x8x8": (2.5, lambda: _of(torch.mm, randn(8, 8), randn(8, 8))),
    "mm 7x33x5": (2.5, lambda: _of(torch.mm, randn(7, 33), randn(33, 5))),
    "mm 8x8x8, compiled": (1.0, lambda: _compiled_product(8, 8, 8)),
    "mm 7x33x5, compiled": (1.0, lambda: _compiled_product(7, 33, 5)),
    "step, tiny MLP": (1.6, lambda: compiled.tiny_mlp(None)),
    "step, tiny MLP, compiled": (0.8, _compiled_step),
    "bilinear 32 to 64": (1.5, lambda: _of(_doubled, randn(8, 16, 32, 32))),
    "bilinear 32 to 64, both ways": (1.5, lambda: both_ways(_doubled, randn(8, 16, 32, 32))),
    "grid_sample 4x16x32x32, both ways": (
        2.0,
        lambda: both_ways(_sampled, randn(4, 16, 32, 32), torch.rand(4, 32, 32, 2) * 2 - 1),
    ),
    "adaptive_avg_pool2d 32 to 7, both ways": (
        1.3,
        lambda: both_ways(lambda x: functional.adaptive_avg_pool2d(x, 7), randn(8, 64, 32, 32)),
    ),
    "avg_pool2d 2, both ways": (
        1.3,
        lambda: both_ways(lambda x: functional.avg_pool2d(x, 2), randn(8, 64, 32, 32)),
    ),
    "LSTM 128, both ways": (1.5, lambda: _recurrent(nn.LSTM, 128)),
    "GRU 64, both ways": (1.5, lambda: _recurrent(nn.GRU, 64)),
    "batch_norm in evaluation": (1.2, _evaluated_norm),
    "layer_norm 2048x256, both ways": (
        1.2,
        lambda: both_ways(_normalised, randn(2048, 256), randn(256), randn(256)),
    ),
    "group_norm 16x64x16x16, both ways": (
        1.2,
        lambda: both_ways(_normalised_in_groups, randn(16, 64, 16, 16), randn(64), randn(64)),
    ),
    "x[idx] 8192x64, both ways": (
        1.5,
        lambda: both_ways(
            lambda x, index: x[index], randn(10_000, 64), randint(0, 10_000, (8192,))
        ),
    ),
    "scatter_add 8192x64": (1.5, lambda: _of(_scattered, *_rows_added())),
    "scatter_add 8192x64, both ways": (1.5, lambda: both_ways(_scattered, *_rows_added())),
    "scatter_add of 256 K single values": (1.5, _single_values),
    "index_add 8192x64": (1.5, lambda: _of(_indexed, *_rows_added())),
    "index_add 8192x64, both ways": (1.5, lambda: both_ways(_indexed, *_rows_added())),
    "unfold 3x3, both ways": (
        1.5,
        lambda: both_ways(lambda x: functional.unfold(x, 3, padding=1), randn(8, 16, 32, 32)),
    ),
    "randperm of 1 M": (1.3, lambda: _of(torch.randperm, 1_000_000)),
    "long of clamped 1 M": (
        1.3,
        lambda: _of(lambda x: x.clamp(-50, 50).long(), randn(1 << 20) * 100),
    ),
    "var over rows of 256": (1.3, lambda: _of(lambda x: x.var(1), randn(4096, 256))),
}
"""By name: the target, and what makes the call."""

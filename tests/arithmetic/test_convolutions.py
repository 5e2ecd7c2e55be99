"""Convolutions have the bits of the products that docs/arithmetic.md says they are."""

from __future__ import annotations

import pytest
import torch
from tests.arithmetic.bits import same_bits
from tests.arithmetic.conftest import builds
from torch import Tensor
from torch.nn import functional

import samebits
from samebits.arithmetic import _exact

# (images, channels in, out, height, width), kernel, padding, dilation
SHAPES = {
    "rows of whole vectors": ((3, 5, 20, 9, 32), (3, 3), (1, 1), (1, 1)),
    "rows of half a tile": ((3, 33, 30, 16, 16), (3, 3), (1, 1), (1, 1)),
    "rows that end within vectors": ((2, 40, 9, 13, 27), (3, 2), (1, 0), (1, 1)),
    "a block over several images": ((40, 6, 34, 6, 5), (3, 3), (0, 1), (1, 1)),
    "images of one place": ((300, 7, 15, 4, 3), (4, 3), (0, 0), (1, 1)),
    "groups of chains": ((5, 3, 17, 50, 40), (5, 5), (2, 2), (1, 1)),
    "a group of chains over images": ((7, 2, 5, 31, 29), (3, 5), (2, 4), (2, 1)),
    "many terms": ((2, 470, 4, 5, 5), (3, 3), (1, 1), (1, 1)),
    "small images": ((47, 24, 70, 3, 5), (3, 3), (1, 1), (1, 1)),
}

# (images, channels in of a group, out of a group, sizes), groups, kernel, stride, padding, dilation
SMALL_IMAGES = {
    "stride": ((47, 32, 80, 7, 5), 1, (3, 3), (2, 3), (1, 1), (1, 1)),
    "groups": ((47, 32, 48, 3, 3), 2, (2, 3), (1, 1), (1, 1), (1, 1)),
    "dilation": ((47, 20, 64, 5, 5), 2, (3, 2), (2, 1), (2, 1), (2, 2)),
    "one axis": ((47, 24, 60, 5), 1, (3,), (1,), (1,), (1,)),
    "three axes": ((47, 12, 50, 3, 2, 3), 2, (2, 2, 3), (1, 2, 1), (1, 0, 1), (1, 1, 2)),
    "one place": ((47, 48, 31, 2, 2), 1, (2, 2), (1, 1), (0, 0), (1, 1)),
}
"""With one thread nearly every build lays the images of each side by side, one way or both."""


def unfolded(x: Tensor, kernel: tuple[int, int], dilation: tuple[int, int]) -> Tensor:
    """[N, C, taps, places] of an input that has its padding."""
    reach = [(k - 1) * d for k, d in zip(kernel, dilation, strict=True)]
    height, width = (size - r for size, r in zip(x.shape[2:], reach, strict=True))
    taps = [
        x[:, :, h * dilation[0] :, w * dilation[1] :][:, :, :height, :width].flatten(2)
        for h in range(kernel[0])
        for w in range(kernel[1])
    ]
    return torch.stack(taps, 2)


@pytest.mark.parametrize("name", SHAPES)
def test_convolutions_are_products(name):
    (images, inner, outer, *sizes), kernel, padding, dilation = SHAPES[name]
    source = torch.Generator().manual_seed(5)
    x = torch.randn(images, inner, *sizes, generator=source)
    weight = torch.randn(outer, inner, *kernel, generator=source)
    bias = torch.randn(outer, generator=source)
    padded = functional.pad(x, (padding[1], padding[1], padding[0], padding[0]))
    matrix = unfolded(padded, kernel, dilation)
    taps, places = matrix.shape[2:]
    height = padded.shape[2] - (kernel[0] - 1) * dilation[0]
    y = torch.randn(images, outer, height, places // height, generator=source)
    # An input's place is reached from the last tap's side.
    reach = [(k - 1) * d - p for k, d, p in zip(kernel, dilation, padding, strict=True)]
    reversed_taps = unfolded(
        functional.pad(y, (reach[1], reach[1], reach[0], reach[0])), kernel, dilation
    ).flip(2)
    with samebits.exact():
        wanted = (
            weight.flatten(1) @ matrix.flatten(1, 2) + bias.view(-1, 1),
            weight.transpose(0, 1).flatten(1) @ reversed_taps.flatten(1, 2),
            y.transpose(0, 1).flatten(1) @ matrix.permute(0, 3, 1, 2).reshape(-1, inner * taps),
        )
    for build in builds():
        assert _exact.set_isa(build)
        for threads in (1, 2, 5):
            torch.set_num_threads(threads)
            with samebits.exact():
                got = (
                    functional.conv2d(x, weight, bias, 1, padding, dilation),
                    *torch.ops.aten.convolution_backward(
                        y, x, weight, None, [1, 1], padding, dilation, False, [0, 0], 1,
                        [True, True, False],
                    )[:2],
                )  # fmt: skip
            for one, other in zip(got, wanted, strict=True):
                assert same_bits(one.flatten(), other.flatten()), f"{build}, {threads} threads"


@pytest.mark.parametrize("name", SMALL_IMAGES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_small_images_have_the_bits_of_each_alone(name, dtype):
    (images, inner, outer, *sizes), groups, kernel, stride, padding, dilation = SMALL_IMAGES[name]
    source = torch.Generator().manual_seed(8)
    x = torch.randn(images, groups * inner, *sizes, generator=source, dtype=dtype)
    weight = torch.randn(groups * outer, inner, *kernel, generator=source, dtype=dtype)
    bias = torch.randn(groups * outer, generator=source, dtype=dtype)
    zeros = [0] * len(kernel)

    def both_ways(x: Tensor) -> tuple[Tensor, Tensor]:
        y = torch.convolution(x, weight, bias, stride, padding, dilation, False, zeros, groups)
        grad = torch.ops.aten.convolution_backward(
            y, x, weight, None, stride, padding, dilation, False, zeros, groups,
            [True, False, False],
        )[0]  # fmt: skip
        return y, grad

    for build in builds():
        assert _exact.set_isa(build)
        for threads in (1, 2, 5):
            torch.set_num_threads(threads)
            with samebits.exact():
                got = both_ways(x)
                alone = [both_ways(x[i : i + 1]) for i in range(images)]
            for together, each in zip(got, zip(*alone, strict=True), strict=True):
                assert same_bits(together, torch.cat(each)), f"{build}, {threads} threads"

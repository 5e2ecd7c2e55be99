"""Sampling images has the bits of its definition, composed place by place as the page says."""

from __future__ import annotations

import pytest
import torch
from tests.arithmetic.conftest import builds
from torch import Tensor
from torch.nn import functional

import samebits
from samebits.arithmetic import _exact
from samebits.arithmetic.operations.coordinates import place, placed

WAYS = ("zeros", "border", "reflection")
ODD = torch.tensor([0.0, -0.0, 1, -1, torch.nan, torch.inf, -torch.inf, 1e30, -1e30, 3.5, -7.25])


def corners(x: Tensor, grid: Tensor, way: str, align: bool):
    """Of each corner its value, its number (−1 for none), shares and signs; and the slopes."""
    height, width = x.shape[2:]
    padding = WAYS.index(way)
    column, slope_x = place(grid[..., 0], width, padding, align)
    row, slope_y = place(grid[..., 1], height, padding, align)
    found = []
    for down in (0, 1):
        for right in (0, 1):
            own_x, own_y = torch.floor(column) + right, torch.floor(row) + down
            inside = (own_x >= 0) & (own_x < width) & (own_y >= 0) & (own_y < height)
            number = torch.where(inside, own_y * width + own_x, 0.0).long()
            spread = number.flatten(1).unsqueeze(1).expand(-1, x.shape[1], -1)
            value = x.flatten(2).gather(2, spread).view(*x.shape[:2], *number.shape[1:])
            value = torch.where(inside.unsqueeze(1), value, 0.0)
            part_x = column - torch.floor(column) if right else torch.floor(column) + 1 - column
            part_y = row - torch.floor(row) if down else torch.floor(row) + 1 - row
            signs = (2 * right - 1, 2 * down - 1)
            found.append((value, torch.where(inside, number, -1), part_x, part_y, signs))
    return found, (slope_x, slope_y)


def by_definition(x: Tensor, grid: Tensor, grad: Tensor, way: str, align: bool) -> list[Tensor]:
    """The values, and the derivatives for image and grid."""
    each, slopes = corners(x, grid, way, align)
    terms = [value * (part_x * part_y).unsqueeze(1) for value, _, part_x, part_y, _ in each]
    result = ((terms[0] + terms[1]) + terms[2]) + terms[3]
    along = [torch.zeros_like(slopes[0]), torch.zeros_like(slopes[1])]
    given = []
    for value, number, part_x, part_y, (sign_x, sign_y) in each:
        given.append((number, grad * (part_x * part_y).unsqueeze(1)))
        total = (grad * value).sum(1)
        along[0] = along[0] + total * part_y * sign_x
        along[1] = along[1] + total * part_x * sign_y
    of_grid = torch.stack([own * slope for own, slope in zip(along, slopes, strict=True)], -1)
    return [result, placed(x, given), of_grid]


def sampled(x: Tensor, grid: Tensor, grad: Tensor, way: str, align: bool) -> list[Tensor]:
    leaves = [x.clone().requires_grad_(), grid.clone().requires_grad_()]
    result = functional.grid_sample(*leaves, padding_mode=way, align_corners=align)
    return [result.detach(), *torch.autograd.grad(result, leaves, grad)]


def check(x: Tensor, grid: Tensor, way: str, align: bool) -> None:
    grad = torch.randn(*x.shape[:2], *grid.shape[1:3], dtype=x.dtype)
    with samebits.exact():
        right = samebits.fingerprint(by_definition(x, grid, grad, way, align))
        for build in builds():
            _exact.set_isa(build)
            for threads in (1, 3):
                torch.set_num_threads(threads)
                assert samebits.fingerprint(sampled(x, grid, grad, way, align)) == right, build


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("shape", [(2, 3, 5, 7), (1, 16, 9, 4), (3, 33, 1, 1), (2, 70, 6, 5)])
def test_bits_are_those_of_the_definition(shape, dtype, align, way):
    grid = torch.randn(shape[0], 5, 7, 2)
    every_fifth = grid.view(-1)[::5]
    every_fifth.copy_(ODD[torch.arange(len(every_fifth)) % len(ODD)])
    check(torch.randn(shape, dtype=dtype), grid.to(dtype), way, align)


@pytest.mark.parametrize(("channels", "points"), [(2, 5000), (4100, 3)])
def test_more_than_a_block_of_values_are_summed_in_blocks(channels, points):
    grid = torch.rand(1, 1, points, 2) * 0.1
    check(torch.randn(1, channels, 3, 3), grid, "zeros", False)


def test_images_and_grids_of_any_strides_are_sampled_by_value():
    x, grid = torch.randn(2, 5, 6, 4), torch.rand(2, 3, 7, 2) * 2 - 1
    with samebits.exact():
        right = functional.grid_sample(x, grid, align_corners=False)
        last = x.contiguous(memory_format=torch.channels_last)
        turned = grid.transpose(1, 2).contiguous().transpose(1, 2)
        assert functional.grid_sample(last, turned, align_corners=False).equal(right)

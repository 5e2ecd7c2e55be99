"""Average pooling and interpolation, both ways, bit for bit (docs/arithmetic.md, "Places")."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from tests.arithmetic.bits import same_bits
from tests.arithmetic.test_scans_and_places import exactly, numbers
from torch.nn import functional

from samebits.arithmetic import reference

POOLS = {
    # size, kernel, stride, padding
    "halves": ((6, 8), (2, 2), (2, 2), (0, 0)),
    "overlapping": ((7, 9), (3, 3), (2, 1), (1, 1)),
    "rows": ((9, 5), (3, 1), (1, 1), (1, 0)),
    "gaps": ((11, 12), (2, 3), (4, 5), (0, 1)),
    "more than the lanes": ((14, 13), (9, 9), (3, 4), (4, 0)),
}


def windows(sizes, kernel, stride, padding):
    """For each window its place in the result, its rows and its columns."""
    counts = [
        (n + 2 * p - k) // s + 1 for n, k, s, p in zip(sizes, kernel, stride, padding, strict=True)
    ]
    for place in itertools.product(*map(range, counts)):
        first = [i * s - p for i, s, p in zip(place, stride, padding, strict=True)]
        yield place, *(range(f, f + k) for f, k in zip(first, kernel, strict=True))


def cells(sizes, out):
    """The same for adaptive pooling."""
    for place in itertools.product(*map(range, out)):
        yield (
            place,
            *(
                range(i * n // m, -(-(i + 1) * n // m))
                for i, n, m in zip(place, sizes, out, strict=True)
            ),
        )


def averages(x, boxes):
    """The sum over each box, zeros beyond the image included, divided by its count."""
    found = {}
    for place, rows, columns in boxes:
        values = [
            x[:, i, j]
            if 0 <= i < x.shape[1] and 0 <= j < x.shape[2]
            else np.zeros(x.shape[0], x.dtype)
            for i in rows
            for j in columns
        ]
        found[place] = reference.total(np.stack(values)) / x.dtype.type(len(values))
    shape = [1 + max(place[axis] for place in found) for axis in (0, 1)]
    return np.stack([found[p] for p in np.ndindex(*shape)], 1).reshape(-1, *shape)


def returned(grad, boxes, sizes):
    """For each place the sum of its windows' gradients, divided by their counts."""
    given = {place: [] for place in np.ndindex(*sizes)}
    for place, rows, columns in boxes:
        share = grad[:, place[0], place[1]] / grad.dtype.type(len(rows) * len(columns))
        for own in itertools.product(rows, columns):
            if own in given:
                given[own].append(share)
    zero = np.zeros(grad.shape[0], grad.dtype)
    sums = [reference.total(np.stack(own)) if own else zero for own in given.values()]
    return np.stack(sums, 1).reshape(-1, *sizes)


def both(call, x, grad):
    """A call's result and derivative, in every build."""

    def run():
        leaf = torch.from_numpy(x).unsqueeze(0).requires_grad_()
        y = call(leaf)
        (back,) = torch.autograd.grad(y, leaf, torch.from_numpy(grad).unsqueeze(0))
        return torch.cat([y[0].detach().reshape(-1), back[0].reshape(-1)])

    return exactly(run)


def joined(*arrays):
    return np.concatenate([array.reshape(-1) for array in arrays])


@pytest.mark.parametrize("name", POOLS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_average_pooling(name, dtype):
    sizes, kernel, stride, padding = POOLS[name]
    x = numbers(3, *sizes, dtype=dtype)
    boxes = list(windows(sizes, kernel, stride, padding))
    y = averages(x, boxes)
    grad = numbers(*y.shape, seed=1, dtype=dtype)
    found = both(lambda t: functional.avg_pool2d(t, kernel, stride, padding), x, grad)
    assert same_bits(found, joined(y, returned(grad, boxes, sizes)))


@pytest.mark.parametrize(("sizes", "out"), [((7, 9), (3, 4)), ((4, 5), (4, 7)), ((20, 6), (2, 1))])
def test_adaptive_average_pooling(sizes, out):
    x = numbers(2, *sizes)
    boxes = list(cells(sizes, out))
    y = averages(x, boxes)
    grad = numbers(*y.shape, seed=1)
    found = both(lambda t: functional.adaptive_avg_pool2d(t, out), x, grad)
    assert same_bits(found, joined(y, returned(grad, boxes, sizes)))


def linear_taps(size, out):
    """What each new place reads and how much of it."""
    for j in range(out):
        c = max((j + 0.5) * (size / out) - 0.5, 0.0)
        first = min(int(np.floor(c)), size - 1)
        far = min(c - first, 1.0)
        yield (first, 1 - far), (min(first + 1, size - 1), far)


def interpolated(x, out):
    """Along the last axis."""
    taps = list(linear_taps(x.shape[-1], out))
    sums = [
        reference.total(np.stack([x[..., i] * x.dtype.type(w) for i, w in own])) for own in taps
    ]
    return np.stack(sums, -1)


def interpolated_back(grad, size):
    given = [[] for _ in range(size)]
    for j, own in enumerate(linear_taps(size, grad.shape[-1])):
        for i, weight in own:
            given[i].append(grad[..., j] * grad.dtype.type(weight))
    zero = np.zeros(grad.shape[:-1], grad.dtype)
    return np.stack([reference.total(np.stack(own)) if own else zero for own in given], -1)


def turned(x):
    return np.ascontiguousarray(np.swapaxes(x, -1, -2))


@pytest.mark.parametrize(
    ("sizes", "out"), [((5, 6), (10, 12)), ((9, 40), (4, 7)), ((3, 2), (70, 300)), ((4, 4), (4, 5))]
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_bilinear_interpolation(sizes, out, dtype):
    x = numbers(2, *sizes, dtype=dtype)
    y = turned(interpolated(turned(interpolated(x, out[1])), out[0]))
    grad = numbers(2, *out, seed=1, dtype=dtype)
    back = interpolated_back(turned(interpolated_back(turned(grad), sizes[0])), sizes[1])
    found = both(lambda t: functional.interpolate(t, out, mode="bilinear"), x, grad)
    assert same_bits(found, joined(y, back))


def test_a_place_that_is_read_more_often_than_a_block_holds():
    grad = numbers(1, 1, 9000)
    back = interpolated_back(grad, 2)
    x = torch.zeros(1, 1, 2, requires_grad=True)

    def run():
        y = functional.interpolate(x, 9000, mode="linear")
        return torch.autograd.grad(y, x, torch.from_numpy(grad))[0]

    assert same_bits(exactly(run), back)

"""Operations that one native pass computes, bit for bit as the readable specification has them."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tests.arithmetic.bits import same_bits
from tests.arithmetic.test_scans_and_places import exactly, numbers
from torch.nn import functional

import samebits
from samebits.arithmetic import reference
from samebits.errors import NotExactError

DTYPES = [np.float32, np.float64]
IGNORED = 3


def rows_summed(x):
    """The sum down the first axis."""
    return reference.sum_over(x, [0])


def picked_losses(x, target, weight):
    """What each target's class costs, and the weight of each; x is [N, C]."""
    own = np.where(target == IGNORED, 0, target)
    weights = np.ones_like(x[0]) if weight is None else weight
    lost = -x[np.arange(len(target)), own] * weights[own]
    kept = target != IGNORED
    return np.where(kept, lost, x.dtype.type(0)), np.where(kept, weights[own], x.dtype.type(0))


@pytest.mark.parametrize("count", [1, 70, 5000])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_losses_of_classes(count, weighted, dtype):
    rng = np.random.default_rng(count)
    x = rng.standard_normal((count, 7)).astype(dtype)
    target = rng.integers(0, 7, count)
    weight = numbers(7, seed=1, dtype=dtype) if weighted else None
    losses, weights = picked_losses(x, target, weight)
    total = reference.total(weights) if weighted else dtype((target != IGNORED).sum())
    leaf = torch.from_numpy(x).requires_grad_()
    own = torch.from_numpy(target), None if weight is None else torch.from_numpy(weight)

    def found(reduction):
        return functional.nll_loss(leaf, *own, ignore_index=IGNORED, reduction=reduction)

    assert same_bits(exactly(lambda: found("none").detach()), losses + dtype(0))
    assert same_bits(exactly(lambda: found("sum").detach()), np.asarray(reference.total(losses)))
    with np.errstate(invalid="ignore"):
        mean = reference.total(losses) / total
    assert same_bits(exactly(lambda: found("mean").detach()), np.asarray(mean))

    slope = np.zeros_like(x)
    with np.errstate(divide="ignore"):
        slope[np.arange(count), target] = (dtype(-1) / total) * weights
    slope[target == IGNORED] = 0
    assert same_bits(exactly(lambda: torch.autograd.grad(found("mean"), leaf)[0]), slope)
    grad = numbers(count, seed=2, dtype=dtype)
    slope[np.arange(count), target] = -grad * weights
    slope[target == IGNORED] = 0
    given = torch.from_numpy(grad)
    assert same_bits(exactly(lambda: torch.autograd.grad(found("none"), leaf, given)[0]), slope)


def test_losses_of_classes_at_places():
    x, target = torch.randn(3, 5, 4, 6), torch.randint(0, 5, (3, 4, 6))
    flat = x.permute(0, 2, 3, 1).reshape(-1, 5).contiguous().requires_grad_()
    leaf = x.requires_grad_()
    wanted = exactly(lambda: functional.nll_loss(flat, target.view(-1), ignore_index=1))
    found = exactly(lambda: functional.nll_loss(leaf, target, ignore_index=1))
    assert same_bits(found.detach(), wanted.detach())
    own = exactly(
        lambda: torch.autograd.grad(functional.nll_loss(leaf, target, ignore_index=1), leaf)
    )[0]
    far = exactly(
        lambda: torch.autograd.grad(
            functional.nll_loss(flat, target.view(-1), ignore_index=1), flat
        )
    )[0]
    assert same_bits(own.permute(0, 2, 3, 1).reshape(-1, 5).contiguous(), far)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("columns", [1, 5, 40])
def test_bags(dtype, columns):
    sizes = [0, 1, 2, 3, 5, 70, 0, 200, 4]
    rng = np.random.default_rng(1)
    table, index = numbers(50, columns, dtype=dtype), rng.integers(0, 50, sum(sizes))
    weights = numbers(len(index), seed=2, dtype=dtype)
    begins = np.cumsum([0, *sizes[:-1]])
    bags = [table[part] for part in np.split(index, begins[1:])]
    weighted = [
        own * part[:, None] for own, part in zip(bags, np.split(weights, begins[1:]), strict=True)
    ]
    given = (torch.from_numpy(index), torch.from_numpy(table), torch.from_numpy(begins))

    def found(**options):
        return exactly(lambda: functional.embedding_bag(*given, **options))

    sums = np.stack([rows_summed(bag) for bag in bags])
    counts = np.maximum(np.array(sizes, dtype=dtype), 1)[:, None]
    assert same_bits(found(mode="sum"), sums)
    assert same_bits(found(mode="mean"), sums / counts)
    own = torch.from_numpy(weights)
    wanted = np.stack([rows_summed(bag) for bag in weighted])
    assert same_bits(found(mode="sum", per_sample_weights=own), wanted)


def test_a_bag_of_more_than_a_block():
    table, index = numbers(3, 2), np.zeros(5000, np.int64)
    given = (torch.from_numpy(index), torch.from_numpy(table), torch.tensor([0]))
    found = exactly(lambda: functional.embedding_bag(*given, mode="sum"))
    assert same_bits(found, rows_summed(table[index])[None])


@pytest.mark.parametrize("columns", [1, 2, 3, 31, 33, 64, 65, 130])
@pytest.mark.parametrize("dtype", DTYPES)
def test_distances(columns, dtype):
    x, y = numbers(2, 3, columns, dtype=dtype), numbers(2, 37, columns, seed=1, dtype=dtype)
    apart = x[:, :, None] - y[:, None]
    wanted = np.sqrt(reference.sum_over(apart * apart, [3]))
    given = torch.from_numpy(x), torch.from_numpy(y)
    assert same_bits(exactly(lambda: torch.cdist(*given)), wanted)
    assert same_bits(exactly(lambda: torch.cdist(given[0][0], given[1][0])), wanted[0])


NORMS = {
    # shape, call
    "layer": ((70, 37), lambda x, w, b: functional.layer_norm(x, (37,), w, b)),
    "layer of many rows": ((5000, 3), lambda x, w, b: functional.layer_norm(x, (3,), w, b)),
    "layer of whole lines": ((300, 53), lambda x, w, b: functional.layer_norm(x, (53,), w, b)),
    "groups": ((3, 6, 5, 4), lambda x, w, b: functional.group_norm(x, 2, w, b)),
    "batch": (
        (5, 6, 7, 3),
        lambda x, w, b: functional.batch_norm(x, None, None, w, b, training=True),
    ),
    "batch of whole lines": (
        (4200, 48),
        lambda x, w, b: functional.batch_norm(x, None, None, w, b, training=True),
    ),
    "batch without places": (
        (130, 21),
        lambda x, w, b: functional.batch_norm(x, None, None, w, b, training=True),
    ),
}


def statistics(name, x, eps=1e-5):
    """The mean and 1 ÷ deviation of each value's group, spread over x."""
    if name.startswith("layer"):
        shape, axes = x.shape, [1]
    elif name == "groups":
        shape, axes = (3, 2, 3, 5, 4), [2, 3, 4]
    else:
        shape, axes = x.shape, [axis for axis in range(x.ndim) if axis != 1]
    split = x.reshape(shape)
    count = x.dtype.type(np.prod([shape[axis] for axis in axes]))
    _, mean, rstd = reference.normalised(split, axes, eps)
    if x.dtype == np.float64:  # two roundings there (docs/arithmetic.md, "Functions")
        squares = (split - mean) * (split - mean)
        rstd = 1 / np.sqrt(reference.sum_over(squares, axes) / count + eps)
    kept = [1 if axis in axes else n for axis, n in enumerate(shape)]
    spread = [np.broadcast_to(s.reshape(kept), shape).reshape(x.shape) for s in (mean, rstd)]
    return spread[0], spread[1]


@pytest.mark.parametrize("name", NORMS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_derivatives_of_a_norms_factors(name, dtype):
    shape, call = NORMS[name]
    x, grad = numbers(*shape, dtype=dtype), numbers(*shape, seed=1, dtype=dtype)
    mean, rstd = statistics(name, x)
    axes = [axis for axis in range(x.ndim) if axis != 1]
    wanted = (
        reference.sum_over(grad * ((x - mean) * rstd), axes),
        reference.sum_over(grad, axes),
    )
    leaf = torch.from_numpy(x)
    factors = [torch.ones(shape[1], dtype=leaf.dtype).requires_grad_() for _ in range(2)]
    given = torch.from_numpy(grad)
    found = exactly(lambda: torch.cat(torch.autograd.grad(call(leaf, *factors), factors, given)))
    assert same_bits(found, np.concatenate(wanted))


@pytest.mark.parametrize("shape", [(3, 5), (3, 5, 1), (2, 5, 70)])
@pytest.mark.parametrize("affine", [False, True])
def test_batch_norm_by_running_statistics(shape, affine):
    x, mean, variance = numbers(*shape), numbers(5, seed=1), np.abs(numbers(5, seed=2))
    weight, bias = numbers(5, seed=3), numbers(5, seed=4)
    rstd = exactly(lambda: torch.rsqrt(torch.from_numpy(variance) + 1e-5)).numpy()
    along = (1, 5) + (1,) * (len(shape) - 2)
    wanted = (x - mean.reshape(along)) * rstd.reshape(along)
    if affine:
        wanted = wanted * weight.reshape(along) + bias.reshape(along)
    factors = [torch.from_numpy(t) if affine else None for t in (weight, bias)]
    own = [torch.from_numpy(t) for t in (x, mean, variance)]
    assert same_bits(exactly(lambda: functional.batch_norm(*own, *factors)), wanted)


@pytest.mark.parametrize("shapes", [((0, 5), (4, 5)), ((3, 5), (0, 5)), ((3, 0), (4, 0))])
def test_distances_of_nothing(shapes):
    x, y = (torch.ones(shape) for shape in shapes)
    assert same_bits(exactly(lambda: torch.cdist(x, y)), torch.zeros(len(x), len(y)))


@pytest.mark.parametrize("count", [0, 1, 7, 16, 35, 40_000])
@pytest.mark.parametrize("threads", [1, 3])
def test_values_as_whole_numbers(count, threads):
    x = numbers(count, 1).ravel() * np.float32(1e3)
    x[::5] = np.float32(2.0**63 - 2.0**40)
    x[1::5] = np.float32(-(2.0**63) + 2.0**40)
    x[2::5] = -0.75
    own = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        assert same_bits(exactly(lambda: torch.from_numpy(x).long()), x.astype(np.int64))
        for beyond in (2.0**63, -np.inf, np.nan):
            if count:
                x[-1] = beyond
                with pytest.raises(NotExactError, match="does not fit"):
                    exactly(lambda: torch.from_numpy(x).long())
    finally:
        torch.set_num_threads(own)


def test_values_around_2_to_the_51_as_whole_numbers():
    below, above = 2.0**51 - 2.0**28, 2.0**51 + 2.0**29
    some = [0.0, 0.99, 1.5, 1e-40, 2.0**24 - 1, 2.0**31, below, above, 2.0**52 + 2.0**29, 3.0]
    x = np.array([*some, *(-value for value in some)] * 4 + some[:3], np.float32)
    assert same_bits(exactly(lambda: torch.from_numpy(x).long()), x.astype(np.int64))
    small = x[np.abs(x) < 2.0**51]
    assert same_bits(exactly(lambda: torch.from_numpy(small).long()), small.astype(np.int64))


def test_whole_numbers_lie_as_the_values_do():
    x = torch.randn(4, 6, dtype=torch.float32).t()
    with samebits.exact():
        assert x.long().stride() == x.stride()
        assert x[:, 1:2].contiguous().long().stride() == x[:, 1:2].contiguous().stride()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("correction", [0, 1, 2.5, 256, 300])
@pytest.mark.parametrize(("shape", "axes"), [((7, 256), [1]), ((3, 5, 16, 16), [2, 3])])
def test_a_variance_over_the_last_axes(dtype, correction, shape, axes):
    x = numbers(*shape, dtype=dtype)
    x.reshape(-1)[:2] = np.inf, np.nan
    rows = x.reshape(-1, 256)
    mean = reference.sum_over(rows, [1]) / dtype(256)
    deviations = rows - mean[:, None]
    squares = reference.sum_over(deviations * deviations, [1])
    with np.errstate(divide="ignore", invalid="ignore"):
        wanted = squares / dtype(max(256 - correction, 0))
    made = exactly(lambda: torch.var_mean(torch.from_numpy(x), axes, correction=correction))
    kept = x.shape[: -len(axes)]
    for got, expected in zip(made, (wanted, mean), strict=True):
        assert same_bits(got, torch.from_numpy(expected.reshape(kept)))

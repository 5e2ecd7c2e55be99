"""Running sums and sums into places, bit for bit as in the readable specification."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tests.arithmetic.bits import same_bits, values
from tests.arithmetic.test_reference_bits import each_build

import samebits
from samebits.arithmetic import reference, reference_scans

KINDS = {
    "cumsum": reference_scans.running_sum,
    "cumprod": reference_scans.running_product,
}


def exactly(compute):
    """What every build computes inside the block."""

    def inside():
        with samebits.exact():
            return compute()

    return each_build(inside)


def numbers(*shape, seed=0, dtype=np.float32):
    """Around 1, so that long products stay finite."""
    own = np.random.default_rng(seed).standard_normal(shape)
    return (1 + own / 10).astype(dtype)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("shape", [(1,), (63,), (64,), (65,), (200, 3), (4200, 2), (70, 41)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_running_sums_and_products(name, shape, dtype):
    x = numbers(*shape, dtype=dtype)
    wanted = KINDS[name](x)
    tensor = torch.from_numpy(x)
    found = exactly(lambda: getattr(tensor, name)(0))
    assert same_bits(found, wanted)
    turned = torch.from_numpy(np.ascontiguousarray(x.T))
    found = exactly(lambda: getattr(turned, name)(-1))
    assert same_bits(found, wanted.T)


@pytest.mark.parametrize("name", KINDS)
def test_running_sums_of_special_values(name):
    x = values(30 * 70, 1).reshape(70, 30)
    with np.errstate(all="ignore"):
        wanted = KINDS[name](x)
    found = exactly(lambda: getattr(torch.from_numpy(x), name)(0))
    assert same_bits(found, wanted)
    zeros = torch.full((130,), -0.0)
    assert not torch.signbit(exactly(lambda: zeros.cumsum(0))).any()


def test_running_sums_of_halves_are_rounded_once():
    x = torch.from_numpy(numbers(300)).bfloat16()
    found = exactly(lambda: x.cumsum(0).double())
    wide = torch.from_numpy(reference_scans.running_sum(x.double().numpy()))
    assert found.tolist() == wide.bfloat16().double().tolist()


@pytest.mark.parametrize("count", [1, 64, 65, 150])
def test_running_logarithms_of_sums(count):
    x = numbers(count, seed=count) * 9
    x[count // 3] = -np.inf
    wanted = reference_scans.running_log_sum(x)
    found = exactly(lambda: torch.from_numpy(x).logcumsumexp(0))
    assert same_bits(found, wanted)
    columns = torch.from_numpy(np.stack([x, x[::-1], x], 1))
    assert same_bits(exactly(lambda: columns.logcumsumexp(0))[:, 2], wanted)


@pytest.mark.parametrize("place", [0, 3, 70])
@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_running_logarithms_of_special_values(place, value):
    x = numbers(130)
    x[place] = value
    with np.errstate(all="ignore"):
        wanted = reference_scans.running_log_sum(x)
    assert same_bits(exactly(lambda: torch.from_numpy(x).logcumsumexp(0)), wanted)


@pytest.mark.parametrize("shape", [(0, 3), (1, 3), (65, 2), (4200, 3), (9000,)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_over_an_axis(shape, dtype):
    x = numbers(*shape, dtype=dtype)
    wanted = reference.product_over(x)
    found = exactly(lambda: torch.from_numpy(x).prod(0))
    assert same_bits(found, np.asarray(wanted))
    turned = torch.from_numpy(np.ascontiguousarray(x.T))
    assert same_bits(exactly(lambda: turned.prod(-1)), np.asarray(wanted))


PLACES = {
    # contributions, places, columns
    "few": (5, 9, 3),
    "one place": (70, 1, 5),
    "more than a block": (9000, 2, 3),
    "most places": (300, 100, 17),
    "many more places": (20, 9000, 20),
    "single values": (500, 90, 1),
    "a value or two, sometimes more": (700, 400, 1),
    "four, sometimes more than eight": (1700, 400, 1),
    "seven, sometimes more than sixteen": (2800, 400, 1),
    "a dozen for each of many places": (60000, 5000, 1),
    "single values, many for a place": (9000, 2, 1),
    "two for each of so many places that they are parted": (18000, 9000, 1),
    "six for each of as many": (54000, 9000, 1),
}


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("threads", [1, 3])
def test_additions_into_places(name, dtype, threads):
    count, places, columns = PLACES[name]
    rng = np.random.default_rng(1)
    index, rows = rng.integers(0, places, count), numbers(count, columns, dtype=dtype)
    target = numbers(places, columns, seed=2, dtype=dtype)
    wanted = reference_scans.added_to_places(target, index, rows)
    x, i, y = torch.from_numpy(target), torch.from_numpy(index), torch.from_numpy(rows)
    wide = i[:, None].expand(-1, columns)
    own = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        found = {
            "index_add": exactly(lambda: x.index_add(0, i, y)),
            "index_put": exactly(lambda: x.index_put((i,), y, accumulate=True)),
            "index_put from the end": exactly(
                lambda: x.index_put((i - places,), y, accumulate=True)
            ),
            "scatter_add": exactly(lambda: x.scatter_add(0, wide, y)),
            "scatter_add, own indices": exactly(lambda: x.scatter_add(0, wide.contiguous(), y)),
            "index_add along rows": exactly(
                lambda: x.t().contiguous().index_add(1, i, y.t().contiguous()).t()
            ),
            "scatter_add along rows": exactly(
                lambda: x.t().contiguous().scatter_add(1, wide.t(), y.t().contiguous()).t()
            ),
        }
    finally:
        torch.set_num_threads(own)
    for way, result in found.items():
        assert same_bits(result, wanted), way


@pytest.mark.parametrize("own", [True, False])
def test_additions_along_one_axis_into_a_few_places(own):
    rng = np.random.default_rng(6)
    index, values_ = rng.integers(0, 5, 300), numbers(300)
    target = numbers(5, seed=1)
    wanted = reference_scans.added_to_places(target, index, values_)
    x, i, y = torch.from_numpy(target), torch.from_numpy(index), torch.from_numpy(values_)
    found = exactly(lambda: x.scatter_add(0, i, y) if own else x.index_add(0, i, y))
    assert same_bits(found, wanted)
    assert same_bits(exactly(lambda: x.put(i, y, accumulate=True)), wanted)
    one = exactly(lambda: torch.tensor(1.5).scatter_add(0, torch.tensor(0), torch.tensor(2.0)))
    assert one.item() == 3.5


def test_a_gradient_is_the_sum_of_what_comes_to_a_place():
    rng = np.random.default_rng(3)
    index, grad = rng.integers(0, 4, 40), numbers(40, 6)
    wanted = reference_scans.added_to_places(np.zeros((4, 6), np.float32), index, grad)
    backward = torch.ops.aten.embedding_dense_backward
    i, g = torch.from_numpy(index), torch.from_numpy(grad)
    assert same_bits(exactly(lambda: backward(g, i, 4, -1, False)), wanted)
    wanted[2] = 0
    assert same_bits(exactly(lambda: backward(g, i, 4, 2, False)), wanted)


def test_zeros_and_what_is_not_named():
    x = torch.full((3, 2), -0.0)
    found = exactly(lambda: x.index_add(0, torch.tensor([1]), x[:1]))
    # The sum of nothing but -0 is +0, and a place that gets nothing keeps what it had.
    assert torch.signbit(found).tolist() == [[True, True], [False, False], [True, True]]


def test_special_values_into_places():
    rows = values(300 * 5, 4).reshape(300, 5)
    index = np.random.default_rng(5).integers(0, 20, 300)
    target = np.zeros((20, 5), np.float32)
    with np.errstate(all="ignore"):
        wanted = reference_scans.added_to_places(target, index, rows)
    x, i, y = torch.from_numpy(target), torch.from_numpy(index), torch.from_numpy(rows)
    assert same_bits(exactly(lambda: x.index_add(0, i, y)), wanted)
    columns = exactly(lambda: x.t().contiguous().index_add(1, i, y.t().contiguous()).t())
    assert same_bits(columns, wanted)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_parts_of_a_plane_of_which_some_places_get_much(threads, dtype):
    rng = np.random.default_rng(8)
    hot = rng.integers(0, 3, 40_000) * 4000 + 511  # more than a block for one, in parts apart
    index = np.where(rng.random(40_000) < 0.5, hot, rng.integers(0, 8700, 40_000))
    source = numbers(40_000, dtype=dtype)
    target = numbers(9000, seed=1, dtype=dtype)  # the last part is shorter, and gets nothing
    wanted = reference_scans.added_to_places(target, index, source)
    x, i, y = (torch.from_numpy(own) for own in (target, index, source))
    own = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        assert same_bits(exactly(lambda: x.scatter_add(0, i, y)), wanted)
        fresh = exactly(lambda: torch.ops.aten.gather_backward(y, x, 0, i, False))
    finally:
        torch.set_num_threads(own)
    zeros = np.zeros_like(target)
    assert same_bits(fresh, reference_scans.added_to_places(zeros, index, source))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("extra", [1, 2])
def test_a_last_part_of_a_place_or_two(extra, dtype):
    rng = np.random.default_rng(9)
    begin = 512 * 20  # of the last part
    source, target = numbers(20_000, dtype=dtype), numbers(begin + extra, seed=1, dtype=dtype)
    for many in [*range(9, 400, 17), 400]:  # values that come to it
        index = rng.integers(0, begin, 20_000)
        index[rng.choice(20_000, many, replace=False)] = begin + rng.integers(0, extra, many)
        own = index >= begin
        wanted = reference_scans.added_to_places(target[begin:], index[own] - begin, source[own])
        x, i, y = (torch.from_numpy(given) for given in (target, index, source))
        found = exactly(lambda x=x, i=i, y=y: x.scatter_add(0, i, y))
        assert same_bits(found[begin:], wanted)


@pytest.mark.parametrize("wrong", [-1, 9000, 2**40])
def test_a_large_plane_is_not_changed_where_an_index_is_outside(wrong):
    x, index = torch.ones(9000), torch.arange(20_000) % 9000
    index[19_000] = wrong
    with samebits.exact(), pytest.raises((IndexError, RuntimeError)):
        x.scatter_add_(0, index, torch.ones(20_000))
    assert x.eq(1).all()


@pytest.mark.parametrize("wrong", [-5, 4])
def test_an_index_outside_is_refused_and_nothing_is_changed(wrong):
    x = torch.ones(4, 3)
    with samebits.exact(), pytest.raises((IndexError, RuntimeError)):
        x.index_add_(0, torch.tensor([0, wrong]), torch.ones(2, 3))
    assert x.eq(1).all()

"""Reductions into places, `put` and unpooling: order, edges, and bits of the specification."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tests.arithmetic.bits import same_bits
from tests.arithmetic.conftest import builds
from torch.nn import functional

import samebits
from samebits.arithmetic import _exact
from samebits.arithmetic import reference_trainings as reference

pytestmark = pytest.mark.filterwarnings("ignore:index_reduce")  # torch calls it a beta

INF, NAN = torch.inf, torch.nan


@pytest.mark.parametrize("count", [1, 2, 7, 300])
def test_products_have_the_bits_of_the_reference(count):
    x, source = 1 + torch.rand(5), 0.8 + torch.rand(count) / 3
    index = torch.randint(4, (count,))
    with samebits.exact():
        found = x.scatter_reduce(0, index, source, "prod")
        scattered = x.scatter(0, index, source, reduce="multiply")
        reduced = x.index_reduce(0, index, source, "prod")
    right = reference.products_into(x.numpy(), index.numpy(), source.numpy())
    for own in (found, scattered, reduced):
        assert same_bits(own, right)


@pytest.mark.parametrize("reduce", ["prod", "mean", "amax", "amin"])
@pytest.mark.parametrize("include_self", [True, False])
def test_slices_are_reduced_as_their_elements_are(reduce, include_self):
    x, source, index = torch.randn(4, 5), torch.randn(4, 9), torch.randint(4, (9,))
    with samebits.exact():
        found = x.index_reduce(1, index, source, reduce, include_self=include_self)
    right = x.double().index_reduce(1, index, source.double(), reduce, include_self=include_self)
    assert found.double().allclose(right, rtol=1e-6)


@pytest.mark.parametrize("threads", [1, 3])
def test_extremes_have_one_zero_and_one_nan_in_any_order(threads):
    torch.set_num_threads(threads)
    odd = torch.tensor([0x7FC12345], dtype=torch.int32).view(torch.float32).item()
    index = torch.tensor([0, 0, 1, 1, 2, 2])
    x = torch.tensor([-1.0, -0.0, odd, -0.0])
    source = torch.tensor([-0.0, 0.0, odd, 1.0, -0.0, -INF])
    with samebits.exact():
        both = [
            x.scatter_reduce(0, way(index), way(source), "amax")
            for way in (lambda t: t, lambda t: t.flip(0))
        ]
    wanted = torch.tensor([0.0, NAN, NAN, -0.0])
    assert same_bits(both[0], wanted)
    assert same_bits(both[1], wanted)


def test_the_last_value_for_a_place_stays():
    index = torch.tensor([1, 1, -1, 1])
    with samebits.exact():
        found = torch.zeros(4).put_(index, torch.tensor([1.0, 2, 3, 4]))
        whole = torch.zeros(4, dtype=torch.int64).put(index, torch.tensor([1, 2, 3, 4]))
        turned = torch.zeros(3, 2).t().put_(torch.tensor([1]), torch.ones(1))
        unpooled = functional.max_unpool1d(
            torch.tensor([[5.0, 6, 7]]), torch.tensor([[2, 2, 0]]), 2
        )
    assert found.tolist() == [0, 4, 0, 3]
    assert whole.tolist() == [0, 4, 0, 3]
    assert turned.tolist() == [[0, 1, 0], [0, 0, 0]]
    assert unpooled.tolist() == [[7, 0, 6, 0, 0, 0]]


@pytest.mark.parametrize(
    "call",
    [
        lambda: torch.zeros(4).put_(torch.tensor([4]), torch.ones(1)),
        lambda: torch.zeros(4).put_(torch.tensor([1]), torch.ones(2)),
        lambda: torch.zeros(4).scatter_reduce(0, torch.tensor([4]), torch.ones(1), "amax"),
        lambda: torch.zeros(4).scatter_reduce(0, torch.tensor([1]), torch.ones(1), "median"),
        lambda: torch.zeros(4).index_reduce(0, torch.tensor([1]), torch.ones(2), "prod"),
        lambda: functional.max_unpool1d(torch.ones(1, 2), torch.tensor([[0, 9]]), 2),
        lambda: functional.fractional_max_pool2d(
            torch.ones(1, 3, 3), 2, output_size=3, _random_samples=torch.ones(1, 1, 2)
        ),
    ],
)
def test_bad_arguments_raise_what_torch_raises(call):
    with pytest.raises(Exception) as plain:  # noqa: PT011  the kind is what is compared
        call()
    with samebits.exact(), pytest.raises(type(plain.value)):
        call()


def test_the_largest_of_bags():
    table = torch.tensor([[1.0, -2.0], [3.0, -0.5], [3.0, 4.0]], requires_grad=True)
    with samebits.exact():
        found = functional.embedding_bag(
            torch.tensor([0, 1, 2, 1]), table, torch.tensor([0, 3, 3]), mode="max"
        )
        (found * torch.tensor([1.0, 10])).sum().backward()
    assert found.tolist() == [[3, 4], [0, 0], [3, -0.5]]
    assert table.grad.tolist() == [[0, 0], [2, 10], [0, 10]]


@pytest.mark.parametrize("cubic", [False, True])
@pytest.mark.parametrize(("size", "out"), [(9, 4), (4, 9), (17, 1), (5, 5), (100, 13)])
def test_interpolation_against_aliasing_has_the_bits_of_the_reference(cubic, size, out):
    x = torch.randn(3, size)
    mode = "bicubic" if cubic else "bilinear"
    with samebits.exact():
        found = functional.interpolate(x[None, None], (3, out), mode=mode, antialias=True)
        rows = functional.interpolate(x.t()[None, None], (out, 3), mode=mode, antialias=True)
    right = reference.against_aliasing(x.numpy(), out, cubic=cubic)
    assert same_bits(found[0, 0], right)
    assert same_bits(rows[0, 0], np.ascontiguousarray(right.T))


def test_what_a_place_does_not_read_does_not_matter():
    x = torch.randn(1, 1, 9, 9)
    with samebits.exact():
        before = functional.interpolate(x, (3, 3), mode="bilinear", antialias=True)
        x[..., 8, 8] = INF
        after = functional.interpolate(x, (3, 3), mode="bilinear", antialias=True)
    assert bool(torch.isinf(after[..., 2, 2]))
    assert same_bits(after.flatten()[:-1], before.flatten()[:-1])


@pytest.mark.parametrize("name", ["hann", "hamming", "blackman", "bartlett"])
@pytest.mark.parametrize("length", [0, 1, 2, 9, 400])
@pytest.mark.parametrize("periodic", [True, False])
def test_windows(name, length, periodic):
    make = getattr(torch, f"{name}_window")
    with samebits.exact():
        found = make(length, periodic)
        half = make(length, periodic, dtype=torch.bfloat16)
    right = make(length, periodic)
    assert found.shape == right.shape
    assert found.allclose(right, rtol=0, atol=3e-7)
    assert half.float().allclose(right, rtol=0, atol=2e-2)


@pytest.mark.parametrize("dim", [0, 1])
def test_indices_of_32_bits_are_taken(dim):
    index = torch.tensor([[0, 1], [1, 1]])
    x, source = torch.randn(2, 2), torch.randn(2, 2)
    with samebits.exact():
        wanted = x.scatter_add(dim, index, source), x[0].scatter_add(0, index[0], source[0])
        narrow = index.int()
        found = x.scatter_add(dim, narrow, source), x[0].scatter_add(0, narrow[0], source[0])
    assert all(map(torch.equal, found, wanted))


def test_values_that_lie_apart_are_unpooled_too():
    x = torch.randn(2, 3, 8)
    values, places = functional.max_pool1d(x, 2, return_indices=True)
    apart = [torch.stack([t, t], -1)[..., 0] for t in (values, places)]
    with samebits.exact():
        wanted = functional.max_unpool1d(values, places, 2)
        assert torch.equal(functional.max_unpool1d(*apart, 2), wanted)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("places", [1, 3, 8, 16, 17, 40])
@pytest.mark.parametrize("planes", [5, 16, 33])
@pytest.mark.parametrize("threads", [1, 3])
def test_nothing_is_written_beside_the_places(dtype, places, planes, threads):
    memory = torch.full((planes * places + 64,), 7.0, dtype=dtype)
    into = memory[32 : 32 + planes * places].view(planes, places)
    index = torch.arange(21)[None] % places
    values = torch.ones(planes, 21, dtype=dtype)
    torch.set_num_threads(threads)
    with samebits.exact():
        _exact.add_planes(into, index, values, fresh=True)
    assert torch.equal(memory[:32], torch.full((32,), 7.0, dtype=dtype))
    assert torch.equal(memory[-32:], torch.full((32,), 7.0, dtype=dtype))
    wanted = torch.zeros(places, dtype=dtype).index_add(0, index[0], values[0])
    assert torch.equal(into, wanted.expand(planes, places))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("values", [3, 4, 8, 16, 17])
@pytest.mark.parametrize("threads", [1, 3])
def test_a_sum_of_nothing_but_negative_zeros_is_positive_zero_at_each_place(dtype, values, threads):
    target = torch.full((4099,), -0.0, dtype=dtype)
    # Half of the places get so many: as many as have slots.
    index = torch.arange(0, 4099, 2).repeat(values)
    source = torch.full((len(index),), -0.0, dtype=dtype)
    torch.set_num_threads(threads)
    with samebits.exact():
        for build in builds():
            _exact.set_isa(build)
            summed = target.scatter_add(0, index, source)
            assert not torch.signbit(summed[::2]).any(), build

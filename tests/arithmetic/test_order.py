"""Sorting, choosing, rounding and moving: ties, repeated places and NaN are defined."""

from __future__ import annotations

import pytest
import torch
from tests.arithmetic.bits import same_bits
from torch import Tensor
from torch.nn import functional

import samebits

NAN = float("nan")
LINE = [3.0, 1.0, 3.0, -0.0, 0.0, 1.0, 3.0, -0.0]
WITH_NAN = [3.0, NAN, 1.0, NAN, 3.0, 1.0, 0.0, 2.0]


def in_order(line: list[float], descending: bool) -> list[int]:
    """Places in order, as a stable sort in Python says it; NaN is the largest."""
    key = [(x != x, 0.0 if x != x else x) for x in line]
    places = range(len(line))
    if descending:
        return sorted(places, key=lambda i: (not key[i][0], -key[i][1]))
    return sorted(places, key=lambda i: key[i])


@pytest.mark.parametrize("line", [LINE, WITH_NAN])
@pytest.mark.parametrize("descending", [False, True])
def test_equal_values_keep_the_order_of_their_places(line, descending):
    wanted = in_order(line, descending)
    x = torch.tensor(line)
    with samebits.exact():
        assert x.sort(descending=descending).indices.tolist() == wanted
        assert torch.sort(x, stable=False, descending=descending).indices.tolist() == wanted
        assert x.argsort(descending=descending).tolist() == wanted
        for k in range(1, 9):
            found = x.topk(k, largest=descending)
            assert found.indices.tolist() == wanted[:k]
            assert same_bits(found.values, x[wanted[:k]])
        assert (
            x.repeat(2, 3, 1).transpose(0, 2).topk(3, 0, descending).indices[:, 1, 1].tolist()
            == (wanted[:3])
        )


@pytest.mark.parametrize("line", [LINE, WITH_NAN])
def test_medians_and_numbers_of_an_order(line):
    order = in_order(line, False)
    x = torch.tensor(line)
    nan = [i for i, v in enumerate(line) if v != v]
    with samebits.exact():
        for k in range(1, 9):
            assert x.kthvalue(k).indices.item() == order[k - 1]
        assert x.median(0).indices.item() == (nan[0] if nan else order[3])
        assert x.nanmedian(0).indices.item() == order[(8 - len(nan) - 1) // 2]
        assert x.expand(2, 8).t().median(0, keepdim=True).indices.shape == (1, 2)
        assert torch.full((3,), NAN).nanmedian(0).indices.item() == 0


def test_the_commonest_value_and_its_last_place():
    with samebits.exact():
        assert [t.item() for t in torch.tensor(LINE).mode()] == [0.0, 7]
        assert [t.item() for t in torch.tensor(WITH_NAN).mode()] == [1.0, 5]
        values, places = torch.tensor([[2, 2, 1], [0, 5, 5]]).mode(0)
        assert values.tolist() == [0, 2, 1]
        assert places.tolist() == [1, 0, 0]


@pytest.mark.parametrize("call", ["topk", "kthvalue", "median", "mode", "sort"])
def test_lines_of_one_value_or_none(call):
    arguments = {"topk": (1,), "kthvalue": (1,), "median": (0,)}.get(call, ())
    for x in (torch.tensor(2.0), torch.tensor([2.0])):
        with samebits.exact():
            found = getattr(x, call)(*arguments)
        assert all(a.equal(b) for a, b in zip(found, getattr(x, call)(*arguments), strict=True))
    with samebits.exact(), pytest.raises((RuntimeError, IndexError)):
        torch.ones(3).topk(4)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.bool])
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_the_last_of_several_slices_for_a_place_stays(dtype, dim):
    source = torch.Generator().manual_seed(0)
    x = torch.zeros(7, 7, 3).to(dtype).transpose(0, 1)
    size = list(x.shape)
    index = torch.randint(0, size[dim], (5,), generator=source)
    size[dim] = 5
    values = torch.randint(0, 100, size, generator=source).to(dtype)
    wanted = x.clone()
    for place, row in zip(index.tolist(), values.movedim(dim, 0), strict=True):
        wanted.select(dim, place).copy_(row)
    with samebits.exact():
        assert x.index_copy(dim, index, values).equal(wanted)
        target = x.clone()
        assert target.index_copy_(dim, index, values) is target
        assert target.equal(wanted)
        with pytest.raises((IndexError, RuntimeError)):
            x.index_copy(dim, index + 7, values)
        with pytest.raises((IndexError, RuntimeError)):
            x.index_copy(dim, index[:4], values)


def test_the_nearest_place_is_a_matter_of_whole_numbers():
    for size, out in ((2, 41), (3, 7), (41, 2), (7, 29)):
        x = torch.arange(size, dtype=torch.float32).view(1, 1, size)
        with samebits.exact():
            middle = functional.interpolate(x, out, mode="nearest-exact")
            begin = functional.interpolate(x, out, mode="nearest")
            bytes_ = functional.interpolate(x.to(torch.uint8), out, mode="nearest-exact")
        assert middle.flatten().tolist() == [(2 * j + 1) * size // (2 * out) for j in range(out)]
        assert begin.flatten().tolist() == [j * size // out for j in range(out)]
        assert bytes_.equal(middle.to(torch.uint8))


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact"])
def test_gradients_go_back_to_the_nearest_place(mode):
    x = torch.randn(1, 2, 2, 3, requires_grad=True)
    with samebits.exact():
        y = functional.interpolate(x, (41, 5), mode=mode)
        (found,) = torch.autograd.grad(y.sum(), x)
        count = torch.zeros_like(x)
        marks = torch.arange(6.0).view(1, 1, 2, 3)
        read = functional.interpolate(marks, (41, 5), mode=mode).long().flatten()
        wanted = torch.bincount(read, minlength=6).view(2, 3).to(x.dtype)
    assert found.equal(wanted.expand_as(count))


def payloads(dtype: torch.dtype) -> Tensor:
    """NaN of several kinds, between numbers."""
    whole = {2: torch.int16, 4: torch.int32}[torch.empty(0, dtype=dtype).element_size()]
    first = {torch.float16: 0x7E01, torch.bfloat16: 0x7FC1, torch.float32: 0x7FC00001}[dtype]
    signs = 1 << (15 if whole == torch.int16 else 31)
    bits = torch.tensor([first, first + 2, first - signs, first - signs + 5], dtype=whole)
    return torch.stack([bits.view(dtype), torch.tensor([1.5, -0.25, 7, 0]).to(dtype)], 1).flatten()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
@pytest.mark.parametrize("name", ["round", "floor", "ceil", "trunc", "frexp"])
def test_what_is_rounded_has_one_nan(dtype, name):
    x = payloads(dtype)
    quiet = samebits_nan(dtype)
    with samebits.exact():
        found = getattr(torch, name)(x)
    mantissa = found[0] if name == "frexp" else found
    whole = mantissa.view(torch.int16 if dtype.itemsize == 2 else torch.int32)
    assert set(whole[::2].tolist()) == {quiet}
    if name == "frexp":
        assert found[1][::2].tolist() == [0] * 4


def samebits_nan(dtype: torch.dtype) -> int:
    return {torch.float16: 0x7E00, torch.bfloat16: 0x7FC0, torch.float32: 0x7FC00000}[dtype]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_halves_are_pooled_with_one_nan_and_moved_as_they_are(dtype):
    x = payloads(dtype).view(1, 1, 1, 8)
    with samebits.exact():
        pooled = functional.max_pool2d(x, (1, 2))
        moved = functional.interpolate(x, (1, 8), mode="nearest")
    assert set(pooled.view(torch.int16).flatten().tolist()) == {samebits_nan(dtype)}
    assert same_bits(moved.view(torch.int16), x.view(torch.int16))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_what_is_chosen_by_order_is_moved_as_it_is(dtype):
    x = payloads(dtype).view(1, 8)  # NaN, the largest, in the places 0, 2, 4, 6
    with samebits.exact():
        found = [
            x.topk(5, 1).values,
            x.kthvalue(6, 1, keepdim=True).values,
            x.median(1, keepdim=True).values,
            x[:, ::2].nanmedian(1, keepdim=True).values,
            x[:, ::2].mode(1, keepdim=True).values,
        ]
    wanted = [[0, 2, 4, 6, 5], [2], [0], [0], [0]]
    for values, places in zip(found, wanted, strict=True):
        whole = x.view(torch.int16 if dtype.itemsize == 2 else torch.int32)
        assert values.view(whole.dtype).tolist() == whole[:, places].tolist()

"""Differences that were planted are found where they were planted, and are as large as they are."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import save, save_file

from samebits.check.diff import elements, tensor_views
from samebits.check.diff.elements import differing_tensors
from samebits.check.diff.tensor_views import tensors_in, ulp_distance
from samebits.errors import TraceError

BITS = {
    torch.float16: torch.int16,
    torch.bfloat16: torch.int16,
    torch.float32: torch.int32,
    torch.float64: torch.int64,
}


TOO_LARGE = b'{"x":{"dtype":"F32","shape":[99999999],"data_offsets":[0,4]}}'


@pytest.fixture
def compared(tmp_path):
    def compare(a, b):
        for name, tensors in (("a", a), ("b", b)):
            tensors = tensors if isinstance(tensors, dict) else {"0": tensors}
            save_file(tensors, tmp_path / f"{name}.safetensors")
        return differing_tensors(tmp_path / "a.safetensors", tmp_path / "b.safetensors")

    return compare


def planted(values, index, ulp):
    """A copy in which one element lies so many representable values further from 0."""
    other = values.clone()
    other.view(BITS[values.dtype])[index] += ulp
    return other


@pytest.mark.parametrize("dtype", BITS)
@pytest.mark.parametrize("ulp", [1, 2, 9])
def test_one_element_is_found_with_its_index_and_distance(compared, dtype, ulp):
    values = torch.linspace(1, 2, 7 * 5 * 3).reshape(7, 5, 3).to(dtype)
    (found,) = compared(values, planted(values, (4, 2, 1), ulp))
    assert (found.differing, found.elements, found.max_ulp) == (1, 105, ulp)
    assert found.first == found.worst == (4, 2, 1)
    assert [(a.axis, a.differing, a.first) for a in found.axes] == [(0, 1, 4), (1, 1, 2), (2, 1, 1)]
    assert sum(found.histogram) == 105
    assert found.histogram[int(ulp).bit_length()] == 1
    one, other = found.values
    assert other > one
    assert found.max_abs == pytest.approx(other - one)
    assert found.max_relative == pytest.approx((other - one) / other)


def test_pieces_of_a_large_tensor_make_one_result(compared, monkeypatch):
    values = torch.rand(40, 50) + 1
    other = planted(planted(values, (3, 7), 1), (33, 49), 5)
    whole = compared(values, other)
    monkeypatch.setattr(tensor_views, "PIECE", 97)
    assert compared(values, other) == whole
    assert whole[0].first == (3, 7)
    assert whole[0].worst == (33, 49)


def test_the_map_shows_where(compared):
    values = torch.ones(96, 192)
    (found,) = compared(values, planted(values, (50, 101), 4))
    cells = np.array(found.map)
    assert cells.shape == (48, 96)
    assert np.argwhere(cells).tolist() == [[25, 50]]
    assert cells[25, 50] == 3


@pytest.mark.parametrize(
    ("one", "other", "ulp"),
    [
        (0.0, -0.0, 0),
        (float(np.float32(1e-45)), -float(np.float32(1e-45)), 2),
        (1.0, float(np.nextafter(np.float32(1), np.float32(0))), 1),
        (1.0, 2.0, 1 << 23),
        (math.inf, float(np.finfo(np.float32).max), 1),
    ],
)
def test_distances_on_the_number_line(compared, one, other, ulp):
    (found,) = compared(torch.tensor([one]), torch.tensor([other]))
    assert found.max_ulp == ulp
    assert found.differing == 1


@settings(deadline=None, derandomize=True, max_examples=200)
@given(st.floats(width=32, allow_nan=False), st.floats(width=32, allow_nan=False))
def test_distances_are_those_of_counting(one, other):
    """Against a second way: the place of a number among all that there are."""

    def place(value):
        bits = int(np.float32(value).view(np.int32))
        return bits if bits >= 0 else -(bits & 0x7FFFFFFF)

    a, b = (np.array([value], np.float32).view(np.uint32) for value in (one, other))
    assert int(ulp_distance("F32", a, b)[0]) == abs(place(one) - place(other))


def test_whole_numbers_differ_without_ulp(compared):
    (found,) = compared(torch.arange(5), torch.tensor([0, 1, 9, 3, 4]))
    assert (found.max_ulp, found.max_abs, found.values) == (None, None, None)
    assert found.first == (2,)


def test_nan_has_no_distance_that_can_be_subtracted(compared):
    (found,) = compared(torch.tensor([1.0, math.nan]), torch.tensor([1.0, 2.0]))
    assert (found.differing, found.max_abs) == (1, None)


def test_a_single_number_has_no_axes(compared):
    (found,) = compared(torch.tensor(1.0), torch.tensor(2.0))
    assert (found.first, found.axes, found.shape) == ((), (), ())


def test_only_tensors_that_stand_opposite_each_other_are_compared(compared):
    a = {"0": torch.ones(3), "1": torch.ones(3), "2": torch.zeros(0)}
    b = {"0": torch.ones(3), "1": torch.ones(4), "2": torch.zeros(0), "3": torch.ones(1)}
    assert compared(a, b) == []


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff" * 64,
        (2**40).to_bytes(8, "little") + b"{}",
        b"\x02\0\0\0\0\0\0\0[]",
        len(TOO_LARGE).to_bytes(8, "little") + TOO_LARGE,
    ],
)
def test_a_file_that_is_none_is_a_message(tmp_path, content):
    file = tmp_path / "x.safetensors"
    file.write_bytes(content)
    with pytest.raises(TraceError, match="safetensors"):
        tensors_in(file)


def test_lengths_of_whole_numbers_in_bits():
    edges = [n + d for n in (2**k for k in range(1, 64)) for d in (-1, 0, 1)]
    numbers = [0, 1, *edges, 2**64 - 1]
    found = elements._bit_length(np.array(numbers, np.uint64))
    assert found.tolist() == [n.bit_length() for n in numbers]


def test_a_file_that_is_cut_while_it_is_read_is_an_error(tmp_path):
    file = tmp_path / "a"
    file.write_bytes(save({"0000": torch.ones(1000)}))
    view = tensors_in(file)[0]["0000"]
    file.write_bytes(file.read_bytes()[:-4])
    with pytest.raises(TraceError, match="cut while it was read"):
        list(view.pieces())

"""How far values lie apart, in absolute terms and in units in the last place."""

from __future__ import annotations

import math

import pytest
import torch
from safetensors.torch import save

from samebits.check.diff import tensor_views
from samebits.check.diff.distance import Distance, output_distance, tensor_distance
from samebits.errors import TraceError


def distance(a: torch.Tensor, b: torch.Tensor) -> Distance:
    return output_distance(save({"0000": a}), save({"0000": b}))


@pytest.mark.parametrize(
    "dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16], ids=str
)
def test_neighbours_are_one_ulp_apart(dtype):
    info = torch.finfo(dtype)
    one = torch.ones(3, dtype=dtype)
    found = distance(one, one + info.eps)
    assert found == Distance(max_abs=info.eps, max_ulp=1)
    # Across zero: the smallest numbers of either sign, with two zeros between them.
    width = {2: torch.int16, 4: torch.int32, 8: torch.int64}[one.element_size()]
    smallest = torch.ones(1, dtype=width).view(dtype)
    assert distance(smallest, -smallest).max_ulp == 2
    assert distance(torch.zeros(1, dtype=dtype), -torch.zeros(1, dtype=dtype)).max_ulp == 0


def test_the_largest_gap_counts():
    a = torch.tensor([1.0, 2.0, 3.0])
    assert distance(a, a + torch.tensor([0.0, 0.5, -0.25])).max_abs == 0.5


def test_what_is_no_number_is_left_out():
    nan, inf = math.nan, math.inf
    a, b = torch.tensor([nan, 1.0, inf, inf]), torch.tensor([1.0, 1.5, inf, -inf])
    assert distance(a, b).max_abs == 0.5
    assert distance(torch.tensor([nan]), torch.tensor([1.0])) == Distance(None, None)


def test_the_ends_of_the_number_line_do_not_overflow():
    a = torch.tensor([torch.finfo(torch.float64).max], dtype=torch.float64)
    found = distance(a, -a)
    assert found.max_ulp == 2 * a.view(torch.int64).item()
    assert found.max_abs is None  # beyond what a float64 holds


def test_bytes_of_floating_point_have_no_ulp():
    a, b = (torch.tensor(x).to(torch.float8_e5m2) for x in ([0.0, 1.0], [1.0, 1.0]))
    assert distance(a, b) == Distance(max_abs=1.0, max_ulp=None)


@pytest.mark.parametrize(
    "dtype",
    [torch.float8_e4m3fn, torch.float8_e4m3fnuz, torch.float8_e5m2, torch.float8_e5m2fnuz],
    ids=str,
)
def test_every_byte_of_floating_point_is_read_as_torch_reads_it(dtype):
    every = torch.arange(256, dtype=torch.uint8).view(dtype)
    for number, value in enumerate(every.to(torch.float64).tolist()):
        found = distance(every[number : number + 1], torch.zeros(1).to(dtype)).max_abs
        assert found == (abs(value) if math.isfinite(value) else None), number


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
def test_tensors_are_compared_as_captured_outputs_are(dtype):
    a = torch.tensor([1 + 2j, 0], dtype=dtype)
    assert tensor_distance(a, a + 3j).max_abs == 3.0


@pytest.mark.parametrize("dtype", [torch.int64, torch.uint8, torch.bool])
def test_whole_numbers_have_no_distance(dtype):
    a, b = torch.tensor([0, 1]).to(dtype), torch.tensor([1, 1]).to(dtype)
    assert distance(a, b) == Distance(None, None)


def test_indices_beside_values_do_not_count():
    a, b = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.5])
    found = output_distance(
        save({"0000": a, "0001": torch.tensor([0])}), save({"0000": b, "0001": torch.tensor([90])})
    )
    assert found.max_abs == 0.5


def test_complex_numbers_count_by_their_parts():
    a = torch.tensor([1 + 2j])
    assert distance(a, a + 3j).max_abs == 3.0


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (torch.ones(2), torch.ones(3)),
        (torch.ones(2), torch.ones(2, dtype=torch.float64)),
        (torch.ones(0), torch.ones(0)),
    ],
)
def test_what_cannot_be_subtracted_has_no_distance(a, b):
    assert distance(a, b) == Distance(None, None)


def test_outputs_are_paired_by_place():
    a = save({"0000": torch.zeros(2), "0001": torch.ones(2)})
    b = save({"0000": torch.zeros(2), "0001": torch.zeros(2), "0002": torch.ones(9)})
    assert output_distance(a, b).max_abs == 1.0


@pytest.mark.parametrize("dtype", [torch.float32, torch.complex64], ids=str)
def test_large_tensors_are_compared_piece_by_piece(monkeypatch, dtype):
    monkeypatch.setattr(tensor_views, "PIECE", 4)
    a = torch.arange(11).to(dtype)
    for place in range(11):
        b = a.clone()
        b[place] += 0.5
        found = distance(a, b)
        assert found.max_abs == 0.5
        assert found.max_ulp == distance(a[place : place + 1], b[place : place + 1]).max_ulp


@pytest.mark.parametrize("content", [b"", b"\xff" * 16, b"\x02" + bytes(7) + b"[]"])
def test_what_is_no_captured_output_is_an_error(content):
    with pytest.raises(TraceError, match="no safetensors file"):
        output_distance(content, content)

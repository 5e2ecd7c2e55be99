"""Whole numbers and truths that torch itself finds inside `exact()`, against NumPy's.

Values have ties, both zeros, infinities and NaN; torch's answers are not compared with torch's.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch

import samebits

NAN, INF = np.nan, np.inf
LINE = np.array([3, -0.0, 0.0, 3, -INF, 1, INF, 1, -2, 3, INF, 1e-45], np.float32)
OTHER = np.array([3, 0.0, -0.0, 2, -INF, 1, 1, NAN, -3, 4, INF, 0], np.float32)
WITH_NAN = np.array([3, NAN, 0.0, INF, NAN, 1], np.float32)
DTYPES = [torch.float32, torch.float64, torch.bfloat16]


def numbers(x: np.ndarray, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.from_numpy(x.copy()).to(dtype)


COMPARED = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}


@pytest.mark.parametrize("name", COMPARED)
def test_comparisons(name):
    with samebits.exact():
        found = getattr(torch, name)(numbers(LINE), numbers(OTHER))
    assert found.tolist() == COMPARED[name](LINE, OTHER).tolist()


ASKED = {
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "isposinf": np.isposinf,
    "isneginf": np.isneginf,
    "signbit": np.signbit,
    "logical_not": np.logical_not,
}


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("line", [LINE, WITH_NAN])
def test_questions(name, line):
    with samebits.exact():
        found = getattr(torch, name)(numbers(line))
    assert found.tolist() == ASKED[name](line).tolist()


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_first_of_equal_extremes_and_the_first_nan(dtype):
    with samebits.exact():
        x, y = numbers(LINE, dtype), numbers(WITH_NAN, dtype)
        assert (x.argmax().item(), x.argmin().item()) == (6, 4)
        assert (y.argmax().item(), y.argmin().item()) == (1, 1)
        assert (x.max(0).indices.item(), x.min(0).indices.item()) == (6, 4)
        assert (y.max(0).indices.item(), y.min(0).indices.item()) == (1, 1)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("descending", [False, True])
def test_stable_orders(dtype, descending):
    values = numbers(LINE, dtype).double().numpy()  # the smallest one is 0 in a half
    keys = -values if descending else values
    with samebits.exact():
        found = torch.sort(numbers(LINE, dtype), stable=True, descending=descending).indices
    assert found.tolist() == np.argsort(keys, kind="stable").tolist()


def test_running_extremes_take_the_last_of_equal_values():
    with samebits.exact():
        most, least = torch.cummax(numbers(LINE), 0), torch.cummin(numbers(LINE), 0)
    for found, better in ((most, np.greater_equal), (least, np.less_equal)):
        best, places = 0, []
        for place, value in enumerate(LINE):
            best = place if better(value, LINE[best]) else best
            places.append(best)
        assert found.indices.tolist() == places


@pytest.mark.parametrize("right", [False, True])
def test_places_in_an_order(right):
    edges = np.array([-INF, -1, 0, 1, 1, 3], np.float32)
    wanted = np.searchsorted(edges, LINE, "right" if right else "left").tolist()
    with samebits.exact():
        assert torch.searchsorted(numbers(edges), numbers(LINE), right=right).tolist() == wanted
        assert torch.bucketize(numbers(LINE), numbers(edges), right=right).tolist() == wanted


def test_counts_and_distinct_values():
    with samebits.exact():
        x = numbers(LINE)
        values, back, counts = torch.unique(x, return_inverse=True, return_counts=True)
        assert x.nonzero().flatten().tolist() == np.flatnonzero(LINE).tolist()
        assert x.count_nonzero().item() == np.count_nonzero(LINE)
        found = torch.isin(x, numbers(OTHER)).tolist()
    wanted = np.unique(LINE, return_inverse=True, return_counts=True)
    assert values.tolist() == wanted[0].tolist()
    assert back.tolist() == wanted[1].tolist()
    assert counts.tolist() == wanted[2].tolist()
    assert found == np.isin(LINE, OTHER).tolist()


@pytest.mark.parametrize("dtype", DTYPES)
def test_exponents(dtype):
    values = np.array([3, -0.75, 1, 0, 2.0**-20], np.float32)
    with samebits.exact():
        parts = torch.frexp(numbers(values, dtype))
    mantissas, exponents = np.frexp(values)
    assert parts.exponent.tolist() == exponents.tolist()
    assert parts.mantissa.tolist() == mantissas.tolist()


def test_places_of_the_largest_in_windows():
    image = np.random.default_rng(0).integers(0, 4, (1, 2, 6, 6)).astype(np.float32)
    with samebits.exact():
        _, places = torch.nn.functional.max_pool2d(numbers(image), 3, return_indices=True)
    for channel, row, column in np.ndindex(2, 2, 2):
        window = image[0, channel, 3 * row : 3 * row + 3, 3 * column : 3 * column + 3]
        down, right = divmod(int(window.argmax()), 3)
        wanted = (3 * row + down) * 6 + 3 * column + right
        assert places[0, channel, row, column].item() == wanted

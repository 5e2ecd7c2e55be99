"""The growth of a difference, against recurrences whose rate is known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from samebits.check.diff.growth import MATTERS, doubling_time, growth


@pytest.mark.parametrize("steps", [0.5, 2.0, 3.0, 10.0])
def test_the_rate_of_a_known_recurrence_is_found(steps):
    distance = 1e-12 * 2 ** (np.arange(30) / steps)
    assert doubling_time(distance) == pytest.approx(steps, rel=1e-6)


def test_a_chaotic_map_doubles_at_its_exponent():
    # The logistic map at 4: its Lyapunov exponent is ln 2, so that a distance doubles every step.
    a, b = np.empty(60), np.empty(60)
    a[0], b[0] = 0.3, 0.3 + 1e-14
    for n in range(1, 60):
        a[n], b[n] = 4 * a[n - 1] * (1 - a[n - 1]), 4 * b[n - 1] * (1 - b[n - 1])
    found = growth(a, b)
    assert found.doubling == pytest.approx(1.0, rel=0.15)
    assert found.first == 0
    assert found.matters_from is not None
    assert 30 < found.matters_from < 50


def test_what_saturates_is_measured_while_it_grows():
    distance = np.minimum(1e-9 * 2.0 ** np.arange(100), 0.5)
    assert doubling_time(distance) == pytest.approx(1.0, rel=0.05)


@pytest.mark.parametrize(
    "distance",
    [
        np.zeros(50),
        np.full(50, 1e-7),
        1e-3 * 0.5 ** np.arange(20),
        np.where(np.arange(50) % 7 == 0, 1.2e-7, 0),
        np.array([0, 1.0, 2.0, 4.0]),
    ],
    ids=["none", "constant", "shrinks", "comes and goes", "too short"],
)
def test_no_rate_is_told_where_nothing_grows(distance):
    assert doubling_time(distance) is None


def test_losses_are_compared_where_both_are_numbers():
    a = np.array([1.0, 2.0, math.nan, math.inf, 4.0])
    b = np.array([1.0, 2.0, math.nan, math.inf, 4.0 * (1 + 2 * MATTERS)])
    found = growth(a, b)
    assert found.first == 4
    assert found.matters_from == 4
    assert found.largest == pytest.approx(8 * MATTERS)
    assert np.isnan(found.distance[2:4]).all()


def test_equal_losses_have_no_growth():
    found = growth(np.ones(5), np.ones(5))
    assert (found.first, found.largest, found.doubling, found.matters_from) == (None, 0, None, None)


@pytest.mark.parametrize("other", [math.nan, math.inf, -math.inf])
def test_a_number_beside_none_is_a_difference_that_matters(other):
    found = growth(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, other]))
    assert (found.first, found.matters_from) == (2, 2)
    assert growth(np.array([1.0, other]), np.array([1.0, other])).first is None


def test_what_does_not_even_double_has_no_doubling_time():
    assert doubling_time(np.linspace(1.0, 1.9, 20)) is None
    assert doubling_time(np.exp2(np.linspace(0.0, 2.0, 20))) == pytest.approx(19 / 2)

"""What determinism costs, as it is shown."""

from __future__ import annotations

import io

import pytest

from samebits.check.record.cost import DETERMINISTIC, EXACT, PLAIN, CostSamples
from samebits.check.report.cost_text import cost_json, operation_costs, print_cost


@pytest.fixture
def samples():
    return CostSamples(
        seconds={PLAIN: [0.010, 0.010, 0.010], DETERMINISTIC: [0.011, 0.015, 0.020]},
        operations={
            PLAIN: {"aten.add": [0.001, 0.001, 0.9], "aten.mm": [0.002]},
            DETERMINISTIC: {"aten.add": [0.001], "aten.mm": [0.006], "aten.sort\x1b": [0.001]},
        },
    )


def test_the_ratio_is_that_of_the_times_beside_it(samples):
    samples.seconds = {PLAIN: [0.1, 0.129, 0.5], DETERMINISTIC: [0.22, 0.226, 0.6]}
    found = cost_json(samples)
    assert (found["plain_ms"], found["deterministic_ms"]) == pytest.approx((129, 226))
    assert found["ratio"] == pytest.approx(226 / 129)
    stream = io.StringIO()
    print_cost(samples, stream)
    assert "1.75 times as long" in stream.getvalue()
    assert "129 ms plain, 226 ms deterministic" in stream.getvalue()


def test_the_quartiles_are_those_of_neighbouring_steps(samples):
    found = cost_json(samples)
    assert found["ratio"] == pytest.approx(1.5)
    assert found["steps"] == 3
    assert found["ratio_quartiles"] == pytest.approx([1.3, 1.75])


def test_operations_stand_by_what_they_add(samples):
    costs = operation_costs(samples)
    assert [cost.op for cost in costs] == ["aten.mm", "aten.sort\x1b", "aten.add"]
    assert costs[0].extra_ms == pytest.approx(4)
    assert costs[2].extra_ms == 0


def test_the_text_is_safe_to_print(samples):
    stream = io.StringIO()
    print_cost(samples, stream)
    text = stream.getvalue()
    assert "1.50 times as long" in text
    assert "\x1b" not in text


def test_exact_arithmetic_has_a_ratio_and_a_column_of_its_own(samples):
    samples.seconds[EXACT] = [0.030, 0.030, 0.030]
    samples.operations[EXACT] = {"aten.mm": [0.0123]}
    assert cost_json(samples)["exact"]["ratio"] == pytest.approx(3)
    assert operation_costs(samples)[0].exact_ms == pytest.approx(12.3)
    stream = io.StringIO()
    print_cost(samples, stream)
    assert "With exact arithmetic a step takes 3.00 times as long." in stream.getvalue()
    assert "12.300" in stream.getvalue()


def test_what_exact_arithmetic_lacks_is_said(samples):
    stream = io.StringIO()
    print_cost(samples, stream, "aten.fft is\x1b not exact")
    assert "Exact arithmetic was not timed: aten.fft is" in stream.getvalue()
    assert "\x1b" not in stream.getvalue()

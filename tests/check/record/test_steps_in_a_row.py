"""Which steps of several optimizers may stand in any order."""

from __future__ import annotations

import pytest

from samebits.check.record.steps_in_a_row import StepsInARow


class Optimizer:
    """Stands for one: parameters that are numbers in lists."""

    def __init__(self, *parameters):
        self.parameters = parameters


@pytest.fixture
def rows():
    """Steps that are given as (optimizer, the value it leaves, whether a pass came before)."""

    def noted(*steps):
        listening = StepsInARow(
            digest=lambda parameters: hash(tuple(p[0] for p in parameters)),
            parameters=lambda optimizer: optimizer.parameters,
        )
        for number, (optimizer, value, passed) in enumerate(steps):
            listening.begins(optimizer)
            for parameter in optimizer.parameters:
                parameter[0] = value
            listening.ended(optimizer, number, {"loss": int(passed), "parameters": value})
        return listening.noted()

    return noted


def test_steps_of_optimizers_with_parameters_of_their_own(rows):
    a, b, c = Optimizer([1]), Optimizer([2], [3]), Optimizer([4])
    assert rows((a, 5, True), (b, 6, False), (c, 7, False), (b, 8, True), (a, 9, False)) == [
        [0, 3],
        [3, 5],
    ]


def test_one_optimizer_makes_no_row(rows):
    a = Optimizer([1])
    assert rows((a, 2, True), (a, 3, False), (a, 4, False)) == []


def test_a_row_ends_where_an_optimizer_steps_again(rows):
    a, b = Optimizer([1]), Optimizer([2])
    assert rows((a, 3, True), (b, 4, False), (b, 5, False), (a, 6, False)) == [[0, 2], [2, 4]]


def test_the_order_of_steps_over_the_same_parameters_counts(rows):
    shared = [1]
    assert rows((Optimizer(shared), 2, True), (Optimizer(shared), 3, False)) == []


def test_the_order_of_steps_that_part_from_the_same_values_counts(rows):
    a, b, c = Optimizer([1]), Optimizer([1]), Optimizer([2])
    assert rows((a, 5, True), (c, 5, False), (b, 6, False)) == []


def test_what_was_alike_and_stays_so_may_stand_in_any_order(rows):
    a, b = Optimizer([1]), Optimizer([1])
    assert rows((a, 5, True), (b, 5, False)) == [[0, 2]]

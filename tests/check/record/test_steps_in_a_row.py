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
    """Steps that are given as (optimizer, the value it leaves, whether a pass came before).

    What is computed between steps is given by the number of the second of them.
    """

    def noted(*steps, computed=(), recorded=True):
        operations = 0
        listening = StepsInARow(
            digest=lambda parameters: hash(tuple(p[0] for p in parameters)),
            parameters=lambda optimizer: optimizer.parameters,
            operations=lambda: operations if recorded else None,
        )
        for number, (optimizer, value, passed) in enumerate(steps):
            operations += passed or number in computed
            listening.begins(optimizer)
            for parameter in optimizer.parameters:
                parameter[0] = value
                operations += 1
            listening.ended(optimizer, number, {"loss": int(passed), "parameters": value})
        return [[begin, begin + len(before)] for begin, *before in listening.noted()]

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


@pytest.mark.parametrize(("computed", "recorded"), [((1,), True), ((2,), True), ((), False)])
def test_the_order_counts_where_something_may_be_computed_between_steps(rows, computed, recorded):
    a, b, c = Optimizer([1]), Optimizer([2]), Optimizer([4])
    steps = [(a, 5, True), (b, 6, False), (c, 7, False), (b, 8, True), (a, 9, False)]
    assert rows(*steps, computed=computed, recorded=recorded) == []


def test_what_each_step_began_with_is_noted():
    a, b = Optimizer([1]), Optimizer([2])
    listening = StepsInARow(
        digest=lambda parameters: parameters[0][0],
        parameters=lambda optimizer: optimizer.parameters,
        operations=lambda: 0,
    )
    for number, optimizer in enumerate((a, b)):
        listening.begins(optimizer)
        listening.ended(optimizer, number, {"loss": int(number == 0)})
    assert listening.noted() == [[0, 1, 2]]

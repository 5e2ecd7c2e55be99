"""Digests of optimizers that were given a set of parameters, which has no order."""

from __future__ import annotations

import pytest
import torch

from samebits.check.record.optimizer_order import OptimizerOrder
from samebits.core import _native


@pytest.fixture
def order():
    order = OptimizerOrder()
    native = _native.Recorder()
    undo = order.listen(native)
    native.watching = True
    yield order
    native.watching = False
    undo()


def linears():
    torch.manual_seed(0)
    return [*torch.nn.Linear(3, 3).parameters(), *torch.nn.Linear(3, 3).parameters()]


class Reversed(set):
    """A set that is walked the other way round."""

    def __iter__(self):
        return iter(list(super().__iter__())[::-1])


@pytest.mark.parametrize("named", [False, True])
def test_a_set_is_digested_in_an_order_of_its_contents(order, named):
    found = []
    for kind in (set, Reversed):
        given = kind(linears())
        optimizer = torch.optim.SGD(params=given) if named else torch.optim.SGD(given)
        found.append([p.detach().clone() for p in order.parameters(optimizer)])
    assert all(torch.equal(one, other) for one, other in zip(*found, strict=True))


def test_parameters_of_equal_contents_are_told_apart_by_their_gradients(order):
    alike = [torch.nn.Parameter(torch.zeros(2)) for _ in range(4)]
    for number, parameter in enumerate(alike):
        parameter.grad = torch.full((2,), float(number))
    found = [
        [p.grad[0].item() for p in order.parameters(torch.optim.SGD(kind(alike)))]
        for kind in (set, Reversed)
    ]
    assert found[0] == found[1]


def test_a_list_keeps_its_order(order):
    given = linears()[::-1]
    found = order.parameters(torch.optim.SGD(given))
    assert all(one is other for one, other in zip(found, given, strict=True))


def test_no_operation_is_added_to_a_run(order):
    optimizer = torch.optim.SGD(set(linears()))
    with torch.profiler.profile() as profile:
        order.parameters(optimizer)
    assert [event.name for event in profile.events() if event.name.startswith("aten::")] == []

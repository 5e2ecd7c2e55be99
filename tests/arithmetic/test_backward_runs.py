"""What adds to what in a run of autograd's engine."""

from __future__ import annotations

import pytest
import torch
from torch.autograd import grad

import samebits
from samebits.arithmetic import backward_runs
from samebits.arithmetic.backward_runs import sources


class Asking(torch.autograd.Function):
    """Hands its input on, and asks on the way back what comes to it beside its slope."""

    @staticmethod
    def forward(ctx, x, answers, between):
        ctx.answers, ctx.between = answers, between
        return x.clone()

    @staticmethod
    def backward(ctx, slope):
        ctx.between()
        answer = sources(ctx.next_functions[0])
        ctx.answers.append(None if answer is None else sorted(type(one).__name__ for one in answer))
        return slope, None, None


def asked(losses_of, between=lambda: None):
    """What a node is told about the input that it has in a program."""
    x, answers = torch.ones(3, requires_grad=True), []
    with samebits.exact():
        losses = losses_of(x, Asking.apply(x, answers, between))
        grad(losses, [x], [torch.ones_like(loss) for loss in losses])
    return answers


PROGRAMS = {
    "nothing else": (lambda x, y: [y.sum()], ["AskingBackward"]),
    "another use": (lambda x, y: [y.sum() + x.exp().sum()], ["AskingBackward", "ExpBackward0"]),
    "the run begins with it": (lambda x, y: [y.sum(), x], ["AskingBackward", "NoneType"]),
    "uses of what is made of it": (lambda x, y: [(y * y + y.exp()).sum()], ["AskingBackward"]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_comes_to_a_tensor(name):
    program, wanted = PROGRAMS[name]
    assert asked(program) == [wanted]


def test_of_a_large_graph_nothing_is_said(monkeypatch):
    monkeypatch.setattr(backward_runs, "_MOST", 3)
    assert asked(lambda x, y: [y.sum()]) == [["AskingBackward"]]
    assert asked(lambda x, y: [y.exp().exp().exp().sum()]) == [None]


def test_a_run_within_a_run_is_one_of_its_own():
    inner = []

    def run():
        with torch.enable_grad():
            inner.extend(asked(lambda x, y: [y.sum() + x.exp().sum()]))

    assert asked(lambda x, y: [y.sum()], between=run) == [["AskingBackward"]]
    assert inner == [["AskingBackward", "ExpBackward0"]]


def test_of_a_run_that_was_not_noted_nothing_is_said():
    x, answers = torch.ones(3, requires_grad=True), []
    loss = Asking.apply(x, answers, lambda: None).sum()
    loss.backward()  # outside of a block
    assert answers == [None]
    assert sources((loss.grad_fn, 0)) is None

"""What adds to what in a run of autograd's engine."""

from __future__ import annotations

import contextlib

import pytest
import torch
from torch.autograd import grad

import samebits
from samebits.arithmetic import backward_runs
from samebits.arithmetic.backward_runs import at_end, sources

engine = torch.autograd.graph._engine_run_backward  # as it is outside of a block


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


STARTED = {
    "by torch's own function": lambda loss, x: engine(
        (loss,), (torch.ones(()),), True, False, (x,), True, accumulate_grad=True
    ),
    "by the module's function": lambda loss, x: torch.autograd.graph._engine_run_backward(
        (loss,), (torch.ones(()),), True, False, (x,), True, accumulate_grad=True
    ),
    "by an operation": lambda loss, x: torch.ops.aten._backward(loss, [x], None, True),
}


@pytest.mark.parametrize("name", STARTED)
def test_of_a_run_within_a_run_nothing_wrong_is_said(name):
    x, answers, within = torch.ones(3, requires_grad=True), [], []

    def run():
        if not within:
            within.append(name)
            with torch.enable_grad():
                STARTED[name](y.sum() + x.exp().sum(), x)

    y = Asking.apply(x, answers, run)
    with samebits.exact():
        grad(y.sum(), [x])
    right = ["AskingBackward", "ExpBackward0"] if name == "by the module's function" else None
    assert answers == [right, ["AskingBackward"]]


@pytest.mark.parametrize("noted", [True, False])
@pytest.mark.parametrize("raises", [True, False])
def test_a_function_is_called_at_the_end_of_a_run(noted, raises):
    said = []

    def run():
        at_end(lambda: said.append("end"))
        said.append("node")
        if raises:
            raise ValueError("of the node")

    x = torch.ones(3, requires_grad=True)
    loss = Asking.apply(x, [], run).sum()
    block = samebits.exact() if noted else contextlib.nullcontext()
    met = pytest.raises(ValueError, match="of the node") if raises else contextlib.nullcontext()
    with block, met:
        loss.backward()
    assert said == (["node"] if raises and not noted else ["node", "end"])

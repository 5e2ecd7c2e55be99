"""Steps of an LSTM in one call: the bits of every derivative are those of steps one by one."""

from __future__ import annotations

import gc
import itertools
import types
import warnings

import pytest
import torch
from tests.arithmetic.bits import same_bits
from torch import nn
from torch.autograd import grad
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode

import samebits
from samebits.arithmetic import _exact
from samebits.arithmetic.operations import lstm_steps, recurrent
from samebits.errors import NotExactError

engine = torch.autograd.graph._engine_run_backward  # as it is outside of a block

LAYERS = {
    "plain": {},
    "two layers with dropout, batch first": {"num_layers": 2, "dropout": 0.4, "batch_first": True},
    "without biases": {"bias": False},
    "of binary64": {"dtype": torch.float64},
}


def given(options, hidden=5, steps=6):
    """A layer, its input and its first states."""
    torch.manual_seed(3)
    layer = nn.LSTM(4, hidden, **options)
    dtype = options.get("dtype")
    x = torch.randn(steps, steps, 4, dtype=dtype).requires_grad_()
    shape = (options.get("num_layers", 1), steps, hidden)
    h, c = (torch.randn(shape, dtype=dtype).requires_grad_() for _ in range(2))
    return layer, x, h, c


def derivatives(loss, leaves, order):
    """The derivatives of a loss, then those of their squares and the loss, and so on."""
    found = []
    for left in reversed(range(order)):
        slopes = grad(loss, leaves, create_graph=left > 0, allow_unused=True)
        own = [slope for slope in slopes if slope is not None]
        found += own
        if left:
            squares = [slope.square().sum() for slope in own if slope.requires_grad]
            loss = sum(squares, start=loss)
    return found


def flat(tensors):
    return torch.cat([tensor.detach().reshape(-1) for tensor in tensors])


def both_ways(compute, monkeypatch):
    """What is computed with steps in one call, and what with steps one by one."""
    with samebits.exact():
        together = flat(compute())
        monkeypatch.setattr(recurrent, "alone", lambda tensors: False)
        return together, flat(compute())


def weighted(values):
    return sum(
        (value * torch.arange(1.0, value.numel() + 1).view_as(value)).sum() for value in values
    )


@pytest.fixture
def calls(monkeypatch):
    """Names of the native calls, as they are made."""
    made = []

    def noting(name):
        def call(*args):
            made.append(name)
            return getattr(_exact, name)(*args)

        return call

    names = ("lstm_steps", "lstm_steps_backward", "lstm_slopes", "lstm_slopes_added")
    monkeypatch.setattr(
        lstm_steps, "_exact", types.SimpleNamespace(**{name: noting(name) for name in names})
    )
    return made


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("wanted", ["outputs", "last", "cells", "one step"])
def test_derivatives(name, order, wanted, monkeypatch):
    def compute():
        layer, x, h, c = given(LAYERS[name])
        out, (last_h, last_c) = layer(x, (h, c))
        of = {
            "outputs": [out],
            "last": [last_h, last_c],
            "cells": [last_c],
            "one step": [out[:, 2] if layer.batch_first else out[2]],
        }
        leaves = [x, h, c, *layer.parameters()]
        return [out, last_h, last_c, *derivatives(weighted(of[wanted]), leaves, order)]

    assert same_bits(*both_ways(compute, monkeypatch))


NEEDS = ["x", "h", "c", "weight_ih_l0", "weight_hh_l0", "bias_hh_l0"]


@pytest.mark.parametrize(
    "needed", [*itertools.combinations(NEEDS, 1), ("x", "c"), ("h", "weight_hh_l0")]
)
@pytest.mark.parametrize("order", [1, 2])
def test_what_needs_no_derivative(needed, order, monkeypatch):
    def compute():
        layer, x, h, c = given({})
        leaves = {"x": x, "h": h, "c": c, **dict(layer.named_parameters())}
        for name, leaf in leaves.items():
            leaf.requires_grad_(name in needed)
        out, last = layer(x, (h, c))
        return [out, *derivatives(weighted([out, *last]), [leaves[name] for name in needed], order)]

    assert same_bits(*both_ways(compute, monkeypatch))


@pytest.mark.parametrize("order", [1, 2, 3])
def test_weights_that_serve_twice(order, monkeypatch):
    # What other uses of the weights give is added to before the steps', and these one by one.
    def compute():
        layer, x, h, c = given({})
        first, last = layer(x, (h, c))
        second, _ = layer(x.flip(0), last)
        loss = weighted([first, second]) + weighted([p.square() for p in layer.parameters()])
        return derivatives(loss, [x, h, c, *layer.parameters()], order)

    assert same_bits(*both_ways(compute, monkeypatch))


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("elsewhere", [False, True])
def test_any_number_of_nodes_for_the_weights(order, elsewhere, monkeypatch, calls):
    def compute():
        layer, x, h, c = given({"num_layers": 2}, steps=7)
        out, last = layer(x, (h, c))
        leaves = [x, h, c, *layer.parameters()]
        loss = weighted([out, *last])
        if elsewhere:
            loss = loss + weighted([p.square() for p in layer.parameters()])
        return [out, *derivatives(loss, leaves, order)]

    with samebits.exact():
        whole = flat(compute())
        monkeypatch.setattr(lstm_steps, "_MOST", 3 * 20 * 5 * 4)
        assert same_bits(whole, flat(compute()))
    slopes = [name for name in calls if name.startswith("lstm_slopes")]
    one_by_one, added = ["lstm_slopes"] * (2 + 2 * 3), ["lstm_slopes_added"] * (2 + 2)
    assert slopes == ([] if order > 1 else one_by_one if elsewhere else added)


USES = {
    "the loss itself": lambda layer, out: [out.sum(), layer.weight_hh_l0],
    "a penalty": lambda layer, out: [out.sum() + layer.weight_hh_l0.square().sum()],
    "a penalty of biases": lambda layer, out: [out.sum() + layer.bias_hh_l0.square().sum()],
    "another call": lambda layer, out: [out.sum() + layer(torch.ones(2, 1, 4))[0].sum()],
}


@pytest.mark.parametrize("name", USES)
def test_slopes_are_added_one_by_one_where_others_come(name, monkeypatch, calls):
    def compute():
        layer, x, h, c = given({})
        losses = USES[name](layer, layer(x, (h, c))[0] * 1e3)
        ones = [torch.ones_like(loss) for loss in losses]
        return grad(losses, [x, *layer.parameters()], ones)

    assert same_bits(*both_ways(compute, monkeypatch))
    assert "lstm_slopes" in calls
    assert "lstm_slopes_added" not in calls


def test_one_call_each_way(calls):
    layer, x, h, c = given({})
    with samebits.exact():
        layer(x, (h, c))[0].sum().backward()
        with torch.no_grad():
            layer(x, (h, c))
    assert calls == ["lstm_steps", "lstm_steps_backward", "lstm_slopes_added", "lstm_steps"]


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_threads_and_layouts(threads, monkeypatch):
    def compute():
        layer, x, _, _ = given({"batch_first": True}, hidden=70, steps=40)
        one = torch.randn(1, 1, 70, requires_grad=True)
        out, _ = layer(x[:, ::2], (one.expand(1, 40, 70), one.mT.contiguous().mT.expand(1, 40, 70)))
        grads = torch.ones(()).expand(out.shape)  # without memory of their own
        return [out, *grad(out, [x, one, *layer.parameters()], grads)]

    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        assert same_bits(*both_ways(compute, monkeypatch))
    finally:
        torch.set_num_threads(before)


class Names(TorchDispatchMode):
    """Notes what operations are made."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen.append(str(func))
        return func(*args, **(kwargs or {}))


def test_who_watches_sees_every_step(calls):
    def compute():
        layer, x, h, c = given({})
        out, _ = layer(x, (h, c))
        return [out, *grad(out.sum(), [x, *layer.parameters()])]

    with samebits.exact():
        alone = flat(compute())
    del calls[:]
    with samebits.exact(), Names() as names:
        assert same_bits(alone, flat(compute()))
    assert calls == []
    assert names.seen.count("aten._thnn_fused_lstm_cell.default") == 6
    assert names.seen.count("aten._thnn_fused_lstm_cell_backward_impl.default") == 6


def test_who_watches_the_way_back_alone_sees_it(calls):
    layer, x, h, c = given({})
    with samebits.exact():
        out, _ = layer(x, (h, c))
        wanted = flat(grad(out.sum(), [x, *layer.parameters()], retain_graph=True))
        with Names() as names:
            found = flat(grad(out.sum(), [x, *layer.parameters()]))
    assert same_bits(found, wanted)
    assert names.seen.count("aten._thnn_fused_lstm_cell_backward_impl.default") == 6


def test_a_block_that_lets_operations_through_is_asked(calls):
    layer, x, h, c = given({})
    with samebits.exact(allow=["aten.addmm"]) as block:
        layer(x, (h, c))
    assert calls == []
    assert block.allowed == {"aten.addmm"}


def test_graphs_are_freed_and_weights_are_watched():
    layer, x, h, c = given({})
    with samebits.exact():
        loss = layer(x, (h, c))[0].sum()
        loss.backward()
        with pytest.raises(RuntimeError, match="second time"):
            loss.backward()
        loss = layer(x, (h, c))[0].sum()
        with torch.no_grad():
            layer.weight_hh_l0.mul_(2)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()


def test_outputs_may_be_written_to(monkeypatch):
    def compute():
        layer, x, h, c = given({"num_layers": 2})
        out, last = layer(x, (h, c))
        out.relu_()
        last[0].mul_(3)
        return [out, *grad(weighted([out, *last]), [x, h, c, *layer.parameters()])]

    assert same_bits(*both_ways(compute, monkeypatch))


@pytest.mark.parametrize("wanted", ["input", "all"])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_graphs_do_not_hold_themselves(wanted, order):
    def alive():
        return sum(type(one) is lstm_steps._Between for one in gc.get_objects())

    def compute():
        layer, x, h, c = given({})
        leaves = [x] if wanted == "input" else [x, *layer.parameters()]
        derivatives(weighted([layer(x, (h, c))[0]]), leaves, order)
        grad(
            weighted([layer(x, (h, c))[0]]), leaves, create_graph=True
        )  # and nothing is made of it

    gc.collect()
    gc.disable()
    try:
        before = alive()
        with samebits.exact():
            compute()
        assert alive() == before
    finally:
        gc.enable()


@pytest.mark.parametrize("order", [1, 2])
def test_hooks_are_called_once(order, monkeypatch):
    def compute():
        layer, x, h, c = given({})
        called = [0.0]
        for parameter in layer.parameters():

            def hook(slope):
                called[0] += 1
                return slope * 1.25

            parameter.register_hook(hook)
        loss = weighted([layer(x, (h, c))[0]])
        return [*derivatives(loss, [x, *layer.parameters()], order), torch.tensor(called)]

    assert same_bits(*both_ways(compute, monkeypatch))


def test_several_directions_at_once(monkeypatch):
    def compute():
        layer, x, h, c = given({})
        out, _ = layer(x, (h, c))
        ways = torch.stack([out.detach(), out.detach().square()])
        return grad(out, [x, *layer.parameters()], ways, is_grads_batched=True)

    assert same_bits(*both_ways(compute, monkeypatch))


def steps_of(out):
    """The node of all steps in the graph of an output; None where each step has its own."""
    waiting = [out.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is not None and node.name() == "_StepsBackward":
            return node
        waiting += [] if node is None else [edge[0] for edge in node.next_functions]
    return None


@pytest.mark.parametrize("outer", [1, 2])
@pytest.mark.parametrize("inner", [1, 2])
@pytest.mark.parametrize("most", [lstm_steps._MOST, 3 * 20 * 5 * 4])
def test_a_run_within_a_run_over_the_same_graph(outer, inner, most, monkeypatch):
    monkeypatch.setattr(lstm_steps, "_MOST", most)

    def slopes_of(loss, leaves, order):
        """The derivatives of a loss, and of their squares; the graph stays."""
        slopes = grad(loss, leaves, retain_graph=True, create_graph=order > 1)
        if order == 1:
            return slopes
        return [*slopes, *grad(weighted([s.square() for s in slopes]), leaves, retain_graph=True)]

    def compute(within):
        layer, x, h, c = given({})
        leaves = [x, h, c, *layer.parameters()]
        out, last = layer(x, (h, c))
        found = []

        def another_run(*_):
            if not found:
                found.append(None)
                with torch.enable_grad():
                    found[:] = slopes_of(out.square().sum(), leaves, inner)

        if within:  # between the node of the steps and those of what they share
            steps_of(out).register_hook(another_run)
        own = slopes_of(weighted([out, *last]), leaves, outer)
        another_run()
        return own, found

    with samebits.exact():
        (own, within), (wanted, after) = compute(True), compute(False)
    assert same_bits(flat(own), flat(wanted))
    assert same_bits(flat(within), flat(after))


def test_slopes_of_weights_without_those_of_the_steps_are_refused():
    between = lstm_steps._Between(2)
    with pytest.raises(NotExactError, match="has not gone back through its steps"):
        between.slopes_of_shared(None, 0, 2, True, True)


def started_past_the_block(loss, leaves):
    """The slopes by a run of autograd that no block has noted, and runs that others note."""
    ones = torch.ones_like(loss)
    return engine((loss,), (ones,), True, False, tuple(leaves), True, accumulate_grad=False)


def test_a_run_that_is_not_noted_within_one(monkeypatch, calls):
    # Of the first nothing else comes to the weights, of the second another use.
    def compute():
        layer, x, h, c = given({})
        leaves = [x, *layer.parameters()]
        out, _ = layer(x, (h, c))
        found = []

        def another_run(*_):
            if not found:
                found.append(None)
                with torch.enable_grad():
                    penalty = weighted([p.square() for p in layer.parameters()])
                    found[:] = started_past_the_block((out * 1e3).sum() + penalty, leaves)

        loss = out.sum() * 1  # the first node of the run
        loss.grad_fn.register_prehook(another_run)
        return [*grad(loss, leaves), *found]

    assert same_bits(*both_ways(compute, monkeypatch))
    assert calls.count("lstm_slopes") == 1  # within, handed over one by one
    assert calls.count("lstm_slopes_added") == 1


def weights_used_later(layer, out):
    return out.sum() + weighted([p.square() for p in layer.parameters()])


@pytest.mark.parametrize("options", [{}, {"num_layers": 2}, {"bias": False}], ids=str)
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("kind", ["register_hook", "register_post_accumulate_grad_hook"])
@pytest.mark.parametrize("others", [False, True])
@pytest.mark.parametrize("most", [lstm_steps._MOST, 3 * 20 * 5 * 4])
def test_hooks_are_called_in_the_order_of_single_steps(
    options, order, kind, others, most, monkeypatch
):
    monkeypatch.setattr(lstm_steps, "_MOST", most)

    def compute():
        layer, x, h, c = given(options)
        called = []
        for name, leaf in {"x": x, "h": h, "c": c, **dict(layer.named_parameters())}.items():
            getattr(leaf, kind)(lambda _, name=name: called.append(name))
        out, _ = layer(x, (h, c))
        loss = weights_used_later(layer, out) if others else out.sum()
        loss.backward(create_graph=order > 1)
        if order > 1:
            sum(p.grad.square().sum() for p in layer.parameters()).backward()
        return called

    with samebits.exact(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of create_graph in backward()
        together = compute()
        monkeypatch.setattr(recurrent, "alone", lambda tensors: False)
        assert together == compute()


# torch has no rule for single steps.
@pytest.mark.filterwarnings("ignore:There is a performance drop")
@pytest.mark.parametrize("earlier", [False, True])
@pytest.mark.parametrize("batched", [False, True])
def test_several_derivatives_at_once_that_are_differentiated(batched, earlier, monkeypatch):
    def compute():
        layer, x, h, c = given({})
        leaves = [x, h, c, *layer.parameters()]
        out, _ = layer(x, (h, c))
        ways = torch.stack([out.detach(), out.detach().square()])
        first = []
        if earlier:  # which has taken the steps' tensors apart
            first = grad(out.sum(), leaves, create_graph=True)

        def along(way, batched=False):
            return grad(out, leaves, way, create_graph=True, is_grads_batched=batched)

        slopes = along(ways, True) if batched else torch.func.vmap(along)(ways)
        return [*slopes, *grad(weighted([s.square() for s in (*slopes, *first)]), leaves)]

    assert same_bits(*both_ways(compute, monkeypatch))


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("biased", [True, False])
def test_first_outputs_are_kept_for_slopes_of_weights_alone(order, biased, monkeypatch):
    def compute():
        layer, x, h, c = given({"bias": biased})
        layer.weight_hh_l0.requires_grad_(False)
        if biased:
            layer.bias_hh_l0.requires_grad_(True)
        leaves = [x, h, c, *(p for p in layer.parameters() if p.requires_grad)]
        own = h.detach().clone().mT.contiguous().mT  # in columns
        mine = own + 0 * h
        out, last = layer(x, (mine, c))
        with torch.no_grad():
            mine.mul_(3)  # nobody reads it any more
        return [out, *derivatives(weighted([out, *last]), leaves, order)]

    assert same_bits(*both_ways(compute, monkeypatch))


def test_first_outputs_are_not_held():
    layer, x, h, c = given({})
    layer.weight_hh_l0.requires_grad_(False)
    h = h.detach().clone()
    held = StorageWeakRef(h.untyped_storage())
    with samebits.exact():
        out, _ = layer(x, (h, c))
        del h
        gc.collect()
        assert held.expired()
        out.sum().backward()

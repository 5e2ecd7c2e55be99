"""Where a row belongs: source line, module path, phase, step."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


def line_of(text: str, function) -> int:
    """The number of the only line of a function that holds this text."""
    lines, start = inspect.getsourcelines(function)
    (found,) = [number for number, line in enumerate(lines, start) if text in line]
    return found


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear1 = nn.Linear(4, 4)
        self.linear2 = nn.Linear(4, 4)

    def forward(self, x):
        x = self.linear1(x).relu()
        return self.linear2(x).tanh()


class Net(nn.Module):
    def __init__(self, checkpointed=False):
        super().__init__()
        self.layers = nn.ModuleList([Block(), Block()])
        self.checkpointed = checkpointed

    def forward(self, x):
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=False) if self.checkpointed else layer(x)
        return x.square().mean()


def train(net, steps=2):
    optimizer = torch.optim.AdamW(net.parameters())
    for _ in range(steps):
        x = torch.randn(3, 4)
        loss = net(x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def test_forward_rows_stand_at_their_line_in_their_module(watch):
    watched = watch(lambda: Net()(torch.ones(3, 4)))
    found = [(row.op, row.site.line, row.site.module) for row in watched.rows]
    relu, tanh = line_of("relu()", Block.forward), line_of("tanh()", Block.forward)
    for number in range(2):
        assert ("aten.relu", relu, f"layers.{number}") in found
        assert ("aten.addmm", relu, f"layers.{number}.linear1") in found
        assert ("aten.addmm", tanh, f"layers.{number}.linear2") in found
    assert ("aten.mean", line_of("mean()", Net.forward), "") in found
    assert {Path(row.site.file) for row in watched.rows} == {Path(__file__)}
    assert watched.row("mean").site.function == "forward"


@pytest.mark.parametrize("checkpointed", [False, True])
def test_backward_rows_stand_at_the_forward_line(watch, checkpointed):
    net = Net(checkpointed)
    watched = watch(lambda: net(torch.ones(3, 4)).backward())
    backward = [row for row in watched.rows if row.phase == "backward"]
    found = {(row.op, row.site.line, row.site.module) for row in backward}
    relu, tanh = line_of("relu()", Block.forward), line_of("tanh()", Block.forward)
    for number in range(2):
        assert ("aten.threshold_backward", relu, f"layers.{number}") in found
        assert ("aten.tanh_backward", tanh, f"layers.{number}") in found
        assert ("aten.mm", relu, f"layers.{number}.linear1") in found
        assert ("aten.mm", tanh, f"layers.{number}.linear2") in found
    if checkpointed:  # the recomputed forward belongs to the backward pass
        assert ("aten.relu", relu, "layers.1") in found


def test_gradients_are_accumulated_where_their_last_operation_was(watch):
    def accumulate():
        net = Net()
        for _ in range(2):
            net(torch.ones(3, 4)).backward()

    added = [row for row in watch(accumulate).rows if row.op == "aten.add_.Tensor"]
    assert len(added) == 8
    assert {row.phase for row in added} == {"backward"}
    assert all(".linear" in row.site.module for row in added)


def test_a_user_line_inside_the_backward_pass_is_named(watch):
    def hooked():
        x = torch.ones(3, requires_grad=True)
        x.register_hook(lambda gradient: gradient * 3)
        (x * 2).sum().backward()

    rows = [row for row in watch(hooked).rows if row.op == "aten.mul.Tensor"]
    assert rows[-1].phase == "backward"
    assert rows[-1].site.line == line_of("register_hook", hooked)


def test_two_graphs_at_once_keep_their_lines(watch):
    def interleaved():
        x = torch.ones(3, requires_grad=True)
        one = x.sin()
        two = x.exp()
        one.sum().backward()
        two.sum().backward()

    watched = watch(interleaved)
    assert watched.row("cos").site.line == line_of("x.sin()", interleaved)
    last = [row for row in watched.rows if row.op == "aten.mul.Tensor"][-1]
    assert last.site.line == line_of("x.exp()", interleaved)


def test_phases_and_steps(watch):
    torch.manual_seed(0)  # states of generators that nobody seeded do not count
    watched = watch(lambda: train(Net()))
    order = [(row.step, row.phase) for row in watched.rows]
    assert list(dict.fromkeys(order)) == [
        (0, "setup"),
        (0, "forward"),
        (0, "backward"),
        (0, "optimizer"),
        (1, "forward"),
        (1, "backward"),
        (1, "optimizer"),
    ]
    steps = watched.trace.steps()
    assert steps["kind"].tolist() == [0, 0, 1]
    assert steps["step"].tolist() == [0, 1, 2]
    ends = [max(row.index for row in watched.rows if row.step == step) + 1 for step in (0, 1)]
    assert steps["ops_end"].tolist() == [*ends, len(watched.rows)]
    for name in ("gradients", "parameters", "optimizer", "loss", "outputs", "generators"):
        assert len(set(steps[name][:2].tolist())) == 2, name
    sites = watched.trace.sites()
    assert {sites[i].line for i in steps["site"][:2]} == {line_of("optimizer.step()", train)}


def test_what_runs_after_training_belongs_to_no_step(watch):
    def train_then_evaluate():
        net = Net()
        train(net, steps=1)
        with torch.no_grad():
            net(torch.ones(3, 4))

    watched = watch(train_then_evaluate)
    assert watched.rows[-1].step == 1
    assert watched.rows[-1].phase == "forward"


def test_inference_alone_has_no_steps(watch):
    watched = watch(lambda: Net()(torch.ones(3, 4)))
    assert watched.trace.steps()["kind"].tolist() == [1]
    assert watched.rows[-1].phase == "forward"


def test_a_part_called_by_itself_keeps_its_name_in_the_model(watch):
    net = Net()

    def call():
        net(torch.ones(3, 4))
        net.layers[1](torch.ones(3, 4))

    assert watch(call).rows[-1].site.module == "layers.1"


def test_a_module_outside_of_the_model_goes_by_its_class(watch):
    class Held(nn.Module):
        def __init__(self):
            super().__init__()
            self.hidden = [nn.Linear(4, 4)]

        def forward(self, x):
            return self.hidden[0](x)

    assert watch(lambda: Held()(torch.ones(1, 4))).rows[-1].site.module == "<Linear>"


def test_a_new_model_at_an_old_address_gets_its_own_names(watch):
    def many():
        for _ in range(10):
            nn.Sequential(nn.Identity(), nn.Sequential(nn.Linear(4, 4)))(torch.ones(1, 4))
            Net()(torch.ones(3, 4))

    linear = {row.site.module for row in watch(many).rows if row.op == "aten.addmm"}
    assert linear == {
        "1.0",
        "layers.0.linear1",
        "layers.0.linear2",
        "layers.1.linear1",
        "layers.1.linear2",
    }


def test_library_lines_are_never_named(watch):
    watched = watch(lambda: train(Net(), steps=1))
    assert {Path(row.site.file) for row in watched.rows if row.site} == {Path(__file__)}


def test_levels(watch):
    steps = watch(lambda: train(Net()), level="step")
    assert steps.rows == []
    assert steps.trace.steps()["kind"].tolist() == [0, 0, 1]
    modules = watch(lambda: train(Net()), level="module")
    assert {row.op for row in modules.rows} == {
        "torch.nn.modules.linear.Linear",
        f"{__name__}.Block",
        f"{__name__}.Net",
    }
    auto = watch(lambda: train(Net()), level="auto")
    assert {row.step for row in auto.rows} == {0}
    assert auto.trace.steps()["kind"].tolist() == [0, 0, 1]


@dataclasses.dataclass
class Made:
    noise: torch.Tensor = dataclasses.field(default_factory=functools.partial(torch.rand, 3))


def make_one():
    return Made()


def test_a_method_that_a_dataclass_wrote_is_no_line_of_the_users(watch, monkeypatch):
    monkeypatch.setattr("sys.argv", ["train.py"])
    site = watch(make_one).row("rand").site
    assert (Path(site.file), site.line) == (Path(__file__), line_of("return Made()", make_one))


def test_a_forward_pass_within_an_optimizers_step_is_one(watch):
    net = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))
    optimizer = torch.optim.SGD(net.parameters(), 0.1)

    def closure():
        optimizer.zero_grad()
        loss = net(torch.ones(2, 3)).sum()
        loss.backward()
        return loss

    rows = watch(lambda: optimizer.step(closure)).rows
    phases = {row.op: row.phase for row in rows}
    assert phases["aten.bernoulli_.float"] == "forward"
    assert phases["aten.addmm"] == "forward"
    assert "backward" in {row.phase for row in rows}
    assert rows[-1].phase == "optimizer"

"""Values behind a divergence: a difference that was planted is found with its index."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from samebits.check.diff.verdict import Divergence, RunSummary, Verdict
from samebits.check.record.plan import RunPlan
from samebits.check.trials.explanation import MOST_KEPT, steps_to_keep, with_explanation
from samebits.errors import RecordError

PLANTED = """\
import pathlib

import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
model = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
other = pathlib.Path("other")  # every second run finds it
if other.exists():
    other.unlink()
    planted = 1
else:
    other.touch()
    planted = 0
for step in range({steps}):
    loss = model(torch.randn(4, 8, 32)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    if step == {at}:
        weight = model.layers[2].linear1.weight
        change = np.zeros((64, 32), np.float32)
        change[17, 5] = planted * np.spacing(np.float32(weight.grad[17, 5].item()))
        weight.grad = weight.grad + torch.from_numpy(change)
    optimizer.step()
"""


def transformer():
    from torch import nn

    layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
    return nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)


def explained(tmp_path, script, *options):
    (tmp_path / "train.py").write_text(script)
    command = [sys.executable, "-m", "samebits", "check", "--explain", "--no-attribute", "--quiet"]
    done = subprocess.run(
        [*command, *options, "--json", "v.json", "train.py"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    return json.loads((tmp_path / "v.json").read_text())


@pytest.mark.parametrize(
    ("first", "steps", "kept"),
    [
        (0, 0, ()),
        (3, 3, ()),
        (0, 4, (0, 1, 2, 3)),
        (2, 4, (2, 3)),
    ],
)
def test_few_steps_are_kept_all(first, steps, kept):
    assert steps_to_keep(first, steps) == kept


@pytest.mark.parametrize(("first", "steps"), [(0, 1000), (7, 100), (990, 1_000_000)])
def test_of_many_steps_the_first_and_the_last_are_kept(first, steps):
    kept = steps_to_keep(first, steps)
    assert len(kept) <= MOST_KEPT
    assert kept[0] == first
    assert kept[1] == first + 1
    assert kept[-1] == steps - 1
    assert list(kept) == sorted(set(kept))


def test_one_unit_in_the_last_place_of_one_gradient_is_found_with_its_index(tmp_path):
    found = explained(tmp_path, PLANTED.format(steps=4, at=0))["explanation"]
    tensor = next(t for t in found["tensors"] if t["shape"] == [64, 32])
    assert (tensor["differing"], tensor["first"]) == (1, [17, 5])
    assert found["runs"] == found["growth_runs"]  # two further runs were enough
    parts = {part["part"]: part for part in found["growth"]}
    assert parts["gradients"]["steps"] == [0, 1, 2, 3]
    elements = sum(p.numel() for p in transformer().parameters())
    assert parts["gradients"]["differing"][0] == pytest.approx(1 / elements)
    assert parts["parameters"]["steps"] == [0, 1, 2, 3]
    # It went straight from the gradient into the optimizer's step.
    assert (found["slice"]["goal"], found["slice"]["loss"]) == ("optimizer", None)
    parts = found["slice"]["parts"]
    assert [part["ops"] for part in parts[:2]] == [["aten.lift_fresh"], ["aten.add.Tensor"]]
    assert parts[1]["max_ulp"] == 1
    assert {part["phase"] for part in parts[2:]} == {"optimizer"}


RESIDUAL = """\
import pathlib

import torch

torch.manual_seed(0)
first, second = torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)
optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
other = pathlib.Path("other")  # every second run finds it
planted = other.exists()
other.unlink() if planted else other.touch()
for step in range(3):
    scale = torch.ones(8)
    scale[0] += 0.25 * (planted and step == {at})
    batch = torch.randn(4, 8) * scale
    aside = batch.abs().max()
    hidden = first(batch)
    loss = (second(hidden) + hidden).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize("at", [0, 1])
def test_a_difference_is_followed_to_the_loss_along_both_branches(tmp_path, at):
    """Also where its step was not recorded at first, operation by operation."""
    found = explained(tmp_path, RESIDUAL.format(at=at))["explanation"]["slice"]
    ops = [part["ops"] for part in found["parts"]]
    assert ops == [
        ["aten.add_.Tensor"], ["aten.copy_"], ["aten.mul.Tensor"], ["aten.addmm"], ["aten.addmm"],
        ["aten.add.Tensor"], ["aten.pow.Tensor_Scalar"], ["aten.mean"],
    ]  # fmt: skip
    assert [[t["source"] for t in part["given"]] for part in found["parts"]] == [
        [], [0], [1], [2], [3], [3, 4], [5], [6],
    ]  # fmt: skip
    assert found["parts"][3]["given"][0]["signature"] == "float32[4, 8]"
    assert (found["goal"], found["step"], found["parts"][-1]["is_goal"]) == ("loss", at, True)
    assert found["reached"] > found["operations"]  # `aside`, and all that comes after the loss


def test_why_nothing_is_told_of_growth_is_said():
    class NoRuns:
        plan = RunPlan()

        def pair(self, *_):
            raise RecordError("no room")

        run = pair

    own = RunSummary(folder="a", steps=0, ops=9, exit_code=0, seconds=1.0)
    found = Divergence(kind="output", step=0, phase="forward", op="aten.mm", rows=(3, 3))
    verdict = Verdict(verdict="different", runs=(own, own), first_divergence=found)
    told = with_explanation(verdict, NoRuns(), None).explanation
    assert told.growth == ()
    assert any("no optimizer step" in sentence for sentence in told.missing)


@pytest.mark.slow
def test_a_later_step_is_explained_too(tmp_path):
    verdict = explained(tmp_path, PLANTED.format(steps=6, at=3))
    assert verdict["first_divergence"]["step"] == 3
    found = verdict["explanation"]
    tensor = next(t for t in found["tensors"] if t["shape"] == [64, 32])
    assert (tensor["differing"], tensor["first"]) == (1, [17, 5])
    assert found["growth"][0]["steps"] == [3, 4, 5]

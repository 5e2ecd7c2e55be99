"""Attribution on real scripts: what is proved, how far runs go, and what is taken again."""

from __future__ import annotations

from pathlib import Path

import pytest

from samebits.check.record.plan import RunPlan
from samebits.check.record.run import Target
from samebits.check.report.model import build_report
from samebits.check.trace.reader import Trace
from samebits.check.trials import recordings
from samebits.check.trials.attribution import counterfactual_runs, situation
from samebits.check.trials.experiment import check
from samebits.check.trials.limits import Limits

pytestmark = pytest.mark.slow

SHUFFLED = """
import random
import torch

torch.manual_seed(0)
order = list(range(50))
random.shuffle(order)
names = {f"name-{k}" for k in range(40)}
numbers = {name: k for k, name in enumerate(names)}
x = torch.tensor(order)
y = torch.tensor([numbers[f"name-{k}"] for k in range(40)])
print((x * 2).sum(), (y * torch.arange(40)).sum())
"""

LONG = """
import time
import torch
from torch import nn

model = nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for step in range(40):
    loss = model(torch.ones(2, 4)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    time.sleep(0.01)
"""

PADDED = """
import numpy as np
import torch
from torch.utils.data import DataLoader

PRODUCTS = np.random.default_rng(3).integers(10**6, 10**12, 400)

def pad(rows):
    padded = np.empty((len(rows), 32), dtype=np.int64)
    for line, row in zip(padded, rows):
        line[: len(row)] = row
    return torch.from_numpy(padded % 500)

sessions = [PRODUCTS[k : k + 3 + k % 27] for k in range(240)]
torch.manual_seed(0)
embed = torch.nn.Embedding(500, 8)
optimizer = torch.optim.SGD(embed.parameters(), lr=0.1)
for batch in DataLoader(sessions, batch_size=24, collate_fn=pad):
    loss = embed(batch).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

LONG_AFTER_A_SET = """
import time
import torch

numbers = {}
for name in {f"name-{k}" for k in range(40)}:
    numbers[name] = len(numbers)
y = torch.tensor([numbers[f"name-{k}"] for k in range(40)])
torch.save(y, "labels.pt")
for step in range(40):
    y = y * 3 + 1
    time.sleep(0.01)
"""


LATER = """
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
generator = np.random.default_rng()
for step in range(6):
    noise = generator.random((2, 4)) if step == 4 else np.ones((2, 4))
    loss = model(torch.from_numpy(noise).float()).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


HASHED = """
import torch

def bucket(word):
    return hash(word) % 97

words = [f"word-{k}" for k in range(40)]
x = torch.tensor([bucket(word) for word in words])
print((x * 2).sum())
"""


@pytest.fixture
def checked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(source, **more):
        Path("script.py").write_text(source)
        target = Target(script=Path("script.py"))
        plan = RunPlan(capture_output=True)
        return check(target, plan=plan, out=tmp_path / "out", **more)

    return run


def test_two_causes_are_proved_and_what_was_recorded_counts_again(checked, monkeypatch):
    verdict = checked(SHUFFLED)
    found = [(cause.code, cause.line, cause.confidence) for cause in verdict.causes]
    assert found == [("unseeded-rng", 7, "proved"), ("hash-order", 9, "proved")]
    assert verdict.minimal_controls == ("seeds", "hash-seed")
    assert verdict.under_run

    made = []
    original = recordings.run_script
    monkeypatch.setattr(
        recordings, "run_script", lambda *a, **k: made.append(a[1].name) or original(*a, **k)
    )
    again = checked(SHUFFLED, reuse=True)
    assert again.causes == verdict.causes
    assert all(name.startswith("values-0") for name in made)  # the largest difference, not kept
    assert any("were reused" in note for note in again.notes)


@pytest.fixture
def far_from_the_end(monkeypatch):
    """Wherever runs diverge, much of the script comes after it, without having to be waited for."""
    monkeypatch.setattr(situation, "is_near_the_end", lambda *_: False)


def test_a_second_cause_that_the_first_one_hides_is_looked_for(checked, far_from_the_end):
    verdict = checked(LONG)
    assert (verdict.minimal_controls, verdict.under_run) == (("seeds",), True)
    assert verdict.under_controls_whole
    assert build_report(verdict).under_run == "SAME"


def test_runs_of_a_closer_look_count_beside_those_of_the_check(checked, tmp_path):
    verdict = checked(LATER)
    (cause,) = verdict.causes
    assert (cause.code, cause.line, cause.confidence) == ("unseeded-rng", 9, "proved")
    plain = [one for one in verdict.observations if not one.pinned and one.outcome == "diverge"]
    assert [(Path(a).name, Path(b).name, one.compared) for one in plain for a, b in [one.runs]] == [
        ("run-1", "run-2", "whole"),
        ("closer-4-1", "closer-4-2", "from step 4"),
        ("run-2", "closer-4-1", "to step 5"),
    ]
    made = {folder.name for folder in (tmp_path / "out" / "attribution").iterdir()}
    assert made == {"control-1", "seeds-2", "seeds-3"}


def test_a_line_that_asks_for_a_hash_can_be_proved(checked):
    (cause,) = checked(HASHED).causes
    assert (cause.code, cause.line, cause.confidence) == ("hash-order", 5, "proved")


def test_runs_end_right_after_the_divergence_of_a_long_script(
    checked, tmp_path, monkeypatch, far_from_the_end
):
    monkeypatch.setattr(counterfactual_runs, "_LONG_S", 0.0)
    verdict = checked(LONG)
    assert [cause.code for cause in verdict.causes] == ["unseeded-rng"]
    assert verdict.minimal_controls == ("seeds",)
    assert verdict.under_run
    assert not verdict.under_controls_whole
    assert build_report(verdict).under_run == (
        "SAME up to this point; the rest of the run was not compared"
    )
    for folder in (tmp_path / "out" / "attribution").iterdir():
        manifest = Trace.open(folder).manifest
        assert manifest.exit["reason"] == "stopped-at-row"
        assert manifest.counts["steps"] == 0


def test_runs_that_end_where_data_enter_see_that_the_data_differ(checked, far_from_the_end):
    """No result could show it any more, and a file that is written is no excuse for the order."""
    verdict = checked(LONG_AFTER_A_SET)
    found = [(cause.code, cause.line, cause.confidence) for cause in verdict.causes]
    assert found == [("hash-order", 6, "proved")]
    assert verdict.minimal_controls == ("hash-seed",)


def test_unwritten_memory_of_a_batch_is_proved_where_it_was_handed_out(checked):
    """Not at the head of the loop that takes the batches: a loader is no set that is walked."""
    verdict = checked(PADDED)
    found = [(cause.code, cause.line, cause.confidence) for cause in verdict.causes]
    assert found == [("uninitialized-memory", 9, "proved")]


def test_a_budget_of_nothing_leaves_the_evident_cause(checked, tmp_path):
    verdict = checked(SHUFFLED, limits=Limits(runs=0))
    assert verdict.causes[0].confidence == "likely"
    assert not (tmp_path / "out" / "attribution").exists()

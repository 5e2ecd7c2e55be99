"""What a script asks its model by the clock for the person who looks on is no difference."""

from __future__ import annotations

from pathlib import Path

import pytest

from samebits.check.record.plan import RunPlan
from samebits.check.record.run import Target
from samebits.check.trials.experiment import check
from samebits.check.trials.limits import Limits

TRAINING = """
import sys, time
import torch

torch.manual_seed(0)
torch.set_num_threads(1)
net = torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.BatchNorm1d(32), torch.nn.Linear(32, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
{before}
for step in range(160):
    loss = net(torch.sin(torch.arange(256.0) * step).reshape(8, 32)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if time.monotonic_ns() // 1000 % 7 == 0:
{heartbeat}
print("loss", loss.item())
{after}
"""
ANSWER = """
        net.eval()
        with torch.inference_mode():
            began = time.perf_counter()
            answer = net({probe})
        net.train()
        {told}
"""
SAVED = "torch.save(net.state_dict(), 'net.pt')"


def training(probe="torch.zeros(4, 32)", told="", before="", after=SAVED, heartbeat=ANSWER):
    lines = heartbeat.format(probe=probe, told=told)
    return TRAINING.format(before=before, heartbeat=lines, after=after)


ON_STDERR = "print('an answer takes', time.perf_counter() - began, file=sys.stderr)"
SHOWN = {
    "to nobody who is recorded": training(told=ON_STDERR),
    "in print": training(told="print('step', step, 'shows', answer.mean().item())"),
}
IN_TRAINING = """
        with torch.no_grad():
            net(torch.ones(4, 32))
"""
KEPT = {
    "draws from the generator of the training": training(probe="torch.rand(4, 32)"),
    "moves the averages of the model": training(heartbeat=IN_TRAINING),
    "is saved": training(
        before="best = torch.zeros(())",
        told="best = torch.maximum(best, answer.mean())",
        after="torch.save(best, 'best.pt')",
    ),
    "is printed at the end": training(
        before="shown = []", told="shown.append(answer)", after="print(len(shown))"
    ),
}


@pytest.fixture
def checked(tmp_path, monkeypatch):
    def run(source):
        Path(tmp_path, "script.py").write_text(source)
        monkeypatch.chdir(tmp_path)
        return check(
            Target(script=Path("script.py")),
            plan=RunPlan(capture_output=True),
            out=tmp_path / "out",
            limits=Limits(runs=0),
        )

    return run


@pytest.mark.parametrize("source", SHOWN.values(), ids=SHOWN)
def test_what_is_shown_by_the_clock_is_a_note(checked, source):
    verdict = checked(source)
    assert (verdict.verdict, verdict.closer, verdict.causes) == ("same", (), ())
    assert any("is computed in other steps in each run" in note for note in verdict.notes)


@pytest.mark.parametrize("source", KEPT.values(), ids=KEPT)
def test_what_is_kept_of_it_is_a_difference(checked, source):
    assert checked(source).verdict == "different"

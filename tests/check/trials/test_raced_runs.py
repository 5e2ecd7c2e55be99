"""Runs that agree although weights were read while they were trained: more are made."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from samebits.check.record.plan import RunPlan
from samebits.check.record.run import Target
from samebits.check.trials.experiment import check
from samebits.check.trials.limits import Limits

from .light_scripts import WITHOUT_DYNAMO

# The other side waits for the end of the training by a way that nobody sees, and so reads the same
# weights in each run; or, where it is told to, others in the run of that number.
SCRIPT = """
    import copy, os, pathlib, queue, sys, threading
    import torch
    from torch import nn
    {without_dynamo}
    marks = pathlib.Path(sys.argv[1])
    with marks.open("a") as file:
        file.write(".")
    turn = marks.stat().st_size

    torch.manual_seed(0)
    net = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    inbox, done, total = queue.Queue(), threading.Event(), []

    def score():
        model = inbox.get()
        done.wait()
        total.append(float(model.weight.sum()) + (turn == {differs_in}))

    scoring = threading.Thread(target=score)
    scoring.start()
    for step in range(3):
        net(torch.randn(8, 4)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        if step == {handed_over}:
            inbox.put({what})
    done.set()
    scoring.join()
    print(total[0])
"""


@pytest.fixture
def checked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(what="net", handed_over=0, differs_in=0):
        light = textwrap.indent(WITHOUT_DYNAMO, "    ")
        source = SCRIPT.format(
            what=what, handed_over=handed_over, differs_in=differs_in, without_dynamo=light
        )
        Path("script.py").write_text(textwrap.dedent(source))
        target = Target(script=Path("script.py"), args=(str(tmp_path / "marks"),))
        plan = RunPlan(capture_output=True)
        return check(target, plan=plan, out=tmp_path / "out", limits=Limits(runs=0))

    return run


def test_three_more_are_made_and_it_is_said_why(checked):
    verdict = checked()
    assert (verdict.verdict, len(verdict.runs)) == ("same", 5)
    (note,) = [note for note in verdict.notes if "were handed to another" in note]
    assert "script.py:3" in note


def test_one_that_differs_decides(checked):
    verdict = checked(differs_in=3)
    assert (verdict.verdict, len(verdict.runs)) == ("different", 3)
    assert verdict.compared == (0, 2)


@pytest.mark.parametrize(
    ("what", "handed_over"),
    [("copy.deepcopy(net)", 0), ("net", 2)],
    ids=["a copy", "the last step"],
)
def test_no_more_are_made_where_nothing_is_trained_meanwhile(checked, what, handed_over):
    verdict = checked(what, handed_over)
    assert (verdict.verdict, len(verdict.runs)) == ("same", 2)

"""Scripts that count their runs, or keep a history of them, in a file that stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from samebits.check.record.plan import RunPlan
from samebits.check.record.run import Target
from samebits.check.trials.experiment import check
from samebits.check.trials.limits import Limits

from .light_scripts import WITHOUT_DYNAMO

COUNTED = """
import random
from pathlib import Path
counter = Path("runs.txt")
number = 1 + (int(counter.read_text()) if counter.exists() else 0)
counter.write_text(str(number))
x = torch.linspace(0, 1, 9).sin()
print("run", {said})
torch.save(x, "x.pt")
"""


@pytest.fixture
def checked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(said):
        Path("script.py").write_text(f"import torch\n{WITHOUT_DYNAMO}{COUNTED.format(said=said)}")
        target = Target(script=Path("script.py"))
        plan = RunPlan(capture_output=True)
        return check(target, plan=plan, out=tmp_path / "out", limits=Limits(runs=0))

    return run


def test_a_number_that_counts_the_runs_is_no_result(checked):
    verdict = checked("number")
    assert verdict.verdict == "same"
    assert any("printed line 1 differs: 'run 1' in A, 'run 2' in B" in n for n in verdict.notes)
    (note,) = [note for note in verdict.notes if "the script numbers its runs" in note]
    assert "runs.txt" in note
    assert len(verdict.runs) == 2


def test_what_was_drawn_beside_it_is_one(checked):
    verdict = checked("number, random.random()")
    assert (verdict.verdict, verdict.first_divergence.op) == ("different", "print")


def test_what_an_earlier_run_has_computed_is_one(checked):
    verdict = checked("1, 'mean of all', 0.5 + number / 8")
    assert (verdict.verdict, verdict.first_divergence.op) == ("different", "print")

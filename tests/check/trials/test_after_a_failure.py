"""Scripts that fail over what their first run has left."""

from __future__ import annotations

from pathlib import Path

import pytest

from samebits.check.record.plan import RunPlan
from samebits.check.record.run import Target
from samebits.check.trials.experiment import check


@pytest.fixture
def checked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(source):
        Path("script.py").write_text(f"import torch\n{source}")
        target = Target(script=Path("script.py"))
        return check(target, plan=RunPlan(capture_output=True), out=tmp_path / "out")

    return run


DATABASE = """
import sqlite3
{seed}
con = sqlite3.connect("finds.sqlite")
con.execute("create table find (x real)")
con.executemany("insert into find values (?)", [(float(x),) for x in torch.randn(8)])
con.commit()
x = torch.tensor(con.execute("select x from find").fetchall())
print(x.square().sum().item())
"""


@pytest.mark.parametrize(("seed", "verdict"), [("torch.manual_seed(0)", "same"), ("", "different")])
def test_a_database_that_is_there_already_is_no_difference(checked, seed, verdict):
    found = checked(DATABASE.format(seed=seed))
    assert found.verdict == verdict
    (note,) = [note for note in found.notes if "run 2 failed" in note]
    assert "script.py:" in note
    assert "table find already exists" in note
    assert "finds.sqlite" in note
    assert Path("finds.sqlite").exists()
    if verdict == "different":  # and what is told is not what was left
        assert found.causes[0].code == "unseeded-rng"


FOLDER = """
import os
torch.manual_seed(0)
os.makedirs("out/model")
print(torch.randn(3).sum().item())
"""


def test_a_folder_that_is_there_already_is_told_without_further_search(checked):
    found = checked(FOLDER)
    (cause,) = found.causes
    assert (found.verdict, cause.code, cause.detail) == ("different", "data-changed", "files")
    assert (cause.line, cause.confidence) == (5, "likely")
    assert "File exists: 'out/model'" in cause.evidence
    assert "exist_ok=True" in cause.fix
    assert len(found.observations) == 1  # that runs 1 and 2 diverge


BY_CHANCE = """
import os
torch.manual_seed(0)
print(torch.randn(3).sum().item())
with open("count.txt", "a+") as file:
    file.seek(0)
    before = len(file.read())
    file.write("1")
if before == 1:
    raise RuntimeError("the second run")
"""


def test_a_run_that_fails_by_chance_is_a_difference(checked):
    """A third run, which finds as much, does not fail."""
    found = checked(BY_CHANCE)
    assert found.verdict == "different"
    assert not [note for note in found.notes if "did not find" in note]

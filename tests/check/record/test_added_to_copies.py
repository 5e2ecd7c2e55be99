"""What is added to a file counts alone, also where the run adds to a copy of it."""

from __future__ import annotations

from pathlib import Path

from samebits.check import causes
from samebits.check.record.launcher import run_script
from samebits.check.record.plan import RunPlan
from samebits.check.record.run import Target
from samebits.check.trace.reader import Trace
from samebits.core.interposition.surroundings import Surroundings

SCRIPT = """
import torch
torch.ones(2) + 1
with open("log.txt", "a") as log:
    log.write("a line\\n")
"""


def test_what_was_there_before_is_not_the_runs_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(SCRIPT)
    digests = []
    for number, pinned in enumerate((False, False, True, True)):
        surroundings = causes.pin("files").surroundings() if pinned else Surroundings()
        plan = RunPlan(capture_output=True, surroundings=surroundings)
        result = run_script(Target(script=Path("train.py"), args=()), tmp_path / f"{number}", plan)
        assert result.exit_code == 0, result.stderr_tail
        files = Trace.open(tmp_path / f"{number}").manifest.files
        digests += [file["digest"] for file in files if file["path"].endswith("log.txt")]
    assert len(digests) == 4
    assert len(set(digests)) == 1
    assert Path("log.txt").read_text() == "a line\n" * 2

"""`samebits run --against`: a run is compared while it runs, and stops where it differs."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from samebits.check.diff.divergence import compare_traces
from samebits.check.trace.reader import Trace

SCRIPT = """\
import os
import sys

import torch

torch.manual_seed(0)
weight = torch.nn.Parameter(torch.ones(4))
optimizer = torch.optim.SGD([weight], lr=0.1)
for step in range(6):
    loss = (weight * torch.randn(4)).sum()
    if step == 2:
        loss = loss + float(sys.argv[1]) * weight.sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step == 3 and len(sys.argv) > 2:
        os.kill(os.getpid(), 9)
print("done")
sys.exit(7)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the script and yesterday's run of it."""
    place = tmp_path_factory.mktemp("against")
    (place / "train.py").write_text(SCRIPT)
    assert samebits(place, "run", "--out", "yesterday", "train.py", "1").returncode == 7
    return place


def samebits(folder, *arguments):
    command = [sys.executable, "-m", "samebits", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def steps_of(folder, name):
    return json.loads((folder / name / "manifest.json").read_text())["counts"]["steps"]


def test_a_run_that_agrees_ends_as_the_script_does(folder):
    done = samebits(folder, "run", "--against", "yesterday", "--out", "a", "train.py", "1")
    assert done.returncode == 7
    assert done.stdout == "done\n"
    assert "same: both runs gave the same bits" in done.stderr


def test_a_run_that_differs_stops_after_that_step(folder):
    done = samebits(folder, "run", "--against", "yesterday", "--out", "b", "train.py", "2")
    assert done.returncode == 1
    assert done.stdout == ""
    assert "step 2 differs from" in done.stderr
    assert "train.py:12" in done.stderr
    assert steps_of(folder, "b") == 3


def test_it_may_go_on(folder):
    options = ("--against", "yesterday", "--keep-going", "--out", "c")
    done = samebits(folder, "run", *options, "train.py", "2")
    assert done.returncode == 1
    assert done.stdout == "done\n"
    assert done.stderr.count("differs from") == 1
    assert steps_of(folder, "c") == 6


def test_a_run_that_was_killed_is_compared_as_far_as_it_went(folder):
    assert samebits(folder, "run", "--out", "killed", "train.py", "1", "die").returncode == -9
    again = samebits(folder, "run", "--against", "killed", "--out", "d", "train.py", "1")
    assert again.returncode == 7  # the script's own
    assert "INCOMPLETE" in again.stderr
    assert "run A after" in again.stderr
    verdict = compare_traces(Trace.open(folder / "killed"), Trace.open(folder / "d"))
    assert (verdict.verdict, verdict.exit_code) == ("incomplete", 4)
    drawn = [entry["what"] for entry in verdict.ledger if entry["source"] == "torch-cpu"]
    assert drawn == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--keep-going",), "add --against RUN"),
        (("--against", "nowhere"), "nowhere is no folder"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_the_script_runs(folder, options, message):
    done = samebits(folder, "run", *options, "--out", "e", "train.py", "1")
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stdout == ""

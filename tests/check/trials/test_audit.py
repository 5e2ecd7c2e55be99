"""One recorded run, looked up in the catalog."""

from __future__ import annotations

import json
import types

import pytest
from tests.check.process_entries import process_entry
from typer.testing import CliRunner

from samebits.check.diff.cuda_outlook import cuda_outlook
from samebits.check.diff.verdict import ProcessSummary
from samebits.check.record.plan import RunPlan
from samebits.check.record.run import RunResult, Target
from samebits.check.trace.process_folders import process_folder
from samebits.check.trace.reader import Trace
from samebits.check.trials import audit as audit_module
from samebits.check.trials import recordings
from samebits.check.trials.audit import audit_script
from samebits.cli.app import app

ROW = {"op": "aten.upsample_bicubic2d_backward", "phase": "backward"}
OPEN = {"name": "cudnn-benchmark", "setting": "benchmark = False", "holds": False}


@pytest.fixture
def run_with(make_run, monkeypatch, tmp_path):
    """Makes `audit_script` find a made-up run instead of starting a process."""

    def prepare(rows, **ending):
        def run_script(target, folder, plan, on_progress=None, cancelled=None):
            switches = {"cudnn-benchmark": OPEN, "hash-seed": {"holds": True}}
            make_run(rows, folder=folder / "made", switches=switches)
            for path in (folder / "made").iterdir():
                path.rename(folder / path.name)
            return RunResult(
                **{"folder": folder, "exit_code": 0, "signal": None, "seconds": 1.0, **ending}
            )

        monkeypatch.setattr(recordings, "run_script", run_script)
        script = tmp_path / "train.py"
        script.write_text("pass\n")
        return script

    return prepare


def test_operations_and_switches_are_told(run_with, tmp_path):
    script = run_with([ROW])
    (tmp_path / "run").mkdir()
    found = audit_script(Target(script=script), tmp_path / "run", RunPlan())
    assert found.raises
    assert [entry["op"] for entry in found.outlook] == ["aten.upsample_bicubic2d_backward"]
    assert found.open_switches == [OPEN]


@pytest.mark.parametrize(
    ("rows", "ending", "code"), [([ROW], {}, 1), ([{}], {}, 0), ([ROW], {"exit_code": 4}, 3)]
)
def test_the_exit_code_tells(run_with, tmp_path, rows, ending, code):
    script = run_with(rows, **ending)
    out = str(tmp_path / "out")
    result = CliRunner().invoke(app, ["audit", "--out", out, str(script)])
    assert result.exit_code == code


def test_only_what_a_running_process_can_set_is_left_to_deterministic(run_with, tmp_path):
    result = CliRunner().invoke(
        app, ["audit", "--out", str(tmp_path / "out"), str(run_with([ROW]))]
    )
    text = " ".join(result.stdout.split())
    assert "samebits run sets them; samebits.deterministic() those that can still be set" in text


def test_the_text_and_the_json_say_the_same(run_with, tmp_path):
    script = run_with([ROW])
    arguments = ["audit", "--json", str(tmp_path / "a.json"), "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(app, [*arguments, str(script)])
    assert "aten.upsample_bicubic2d_backward  train.py:10" in result.output
    assert "benchmark = False" in result.output
    content = json.loads((tmp_path / "a.json").read_text())
    assert content["schema"] == "samebits.audit/1"
    assert content["cuda_outlook"][0]["line"] == 10


def test_level_step_sees_nothing_and_is_refused(tmp_path):
    script = tmp_path / "train.py"
    script.write_text("pass\n")
    result = CliRunner().invoke(app, ["audit", "--level", "step", str(script)])
    assert result.exit_code == 2
    assert "no operation is recorded" in result.output


PROCESS = process_entry("0.1", rank=0, rows=1)


def test_operations_of_other_processes_count(make_run, tmp_path):
    run = make_run([], processes=[PROCESS], folder=tmp_path / "run")
    make_run([ROW], folder=process_folder(run.folder, "0.1"))
    assert [entry["op"] for entry in cuda_outlook(Trace.open(run.folder))] == [ROW["op"]]


def test_other_processes_are_listed(run_with, tmp_path, monkeypatch):
    script = run_with([{}])
    one = ProcessSummary(
        name="rank 0", label="rank 0", folder="f", steps=3, ops=1_000, exit_code=0, seconds=1.0
    )
    summary = types.SimpleNamespace(processes=(one,))
    monkeypatch.setattr(audit_module, "run_summary", lambda trace: summary)
    arguments = ["audit", "--out", str(tmp_path / "out"), "--json", str(tmp_path / "a.json")]
    result = CliRunner().invoke(app, [*arguments, str(script)])
    assert "1,001 operations in 3 steps were recorded" in result.stdout
    assert "rank 0: 1,000 operations, 3 steps" in result.stdout
    (found,) = json.loads((tmp_path / "a.json").read_text())["processes"]
    assert found["process"] == "rank 0"

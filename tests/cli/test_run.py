from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from samebits.cli.commands import run as run_module
from samebits.cli.commands.run import switches_not_held


def test_a_run_is_controlled_and_recorded_finely(cli, engine):
    result = cli("run", "train.py", "--lr", "0.1")
    assert result.exit_code == 0
    call = engine.only_call
    assert call.target.args == ("--lr", "0.1")
    assert (call.plan.level, call.plan.control, call.plan.seed) == ("op", True, 0)
    assert call.plan.threads is None
    assert not call.plan.capture_output
    assert re.fullmatch(r"runs/\d{4}-\d\d-\d\d-\d{6}-[0-9a-f]{4}", call.folder.as_posix())
    assert call.folder.is_dir()


def test_options_reach_the_launcher(cli, engine):
    options = ["--no-control", "--threads", "2", "--level", "step", "--out", "here", "-m"]
    assert cli("run", *options, "train", "--seed", "3").exit_code == 0
    call = engine.only_call
    assert (call.plan.control, call.plan.threads, call.plan.level) == (False, 2, "step")
    assert call.folder == Path("here")
    assert (call.target.module, call.target.args) == ("train", ("--seed", "3"))


def test_standard_output_is_left_to_the_script(cli, engine):
    engine.manifest = {
        "switches": {
            "audit": [
                {"name": "hash-seed", "holds": False},
                {"name": "threads", "holds": True},
                {"name": "tf32", "holds": None},
            ]
        },
        "notes": ["2 worker processes were \x1b[31mnot recorded"],
    }
    result = cli("run", "--seed", "7", "--out", "here", "train.py")
    assert result.stdout == ""
    assert result.stderr == (
        "samebits: recorded in here, run under control with seed 7; not held: hash-seed\n"
        "samebits: 2 worker processes were \\x1b[31mnot recorded\n"
    )


def test_a_run_as_written_blames_no_switch(cli, engine):
    engine.manifest = {"switches": {"hash-seed": {"holds": False}}}
    result = cli("run", "--no-control", "--out", "here", "train.py")
    assert result.stderr == "samebits: recorded in here, run as written\n"


@pytest.mark.parametrize("code", [0, 1, 2, 77, 255])
def test_the_exit_code_is_the_scripts_own(cli, engine, code):
    engine.ending = {"exit_code": code}
    assert cli("run", "train.py").exit_code == code


def test_a_signal_that_cannot_be_raised_becomes_128_and_its_number(cli, engine, monkeypatch):
    raised = []
    monkeypatch.setattr(run_module, "_die_by", raised.append)
    engine.ending = {"exit_code": None, "signal": 15}
    assert cli("run", "train.py").exit_code == 143
    assert raised == [15]


@pytest.mark.skipif(sys.platform == "win32", reason="no signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL", "SIGABRT", "SIGINT"])
def test_who_started_samebits_sees_the_scripts_signal(name):
    code = f"import signal; from samebits.cli.commands.run import _die_by; _die_by(signal.{name})"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert ended.returncode == -getattr(signal, name)
    assert ended.stderr == b""


def test_a_run_folder_is_never_overwritten(cli, engine, tmp_path):
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "manifest.json").touch()
    result = cli("run", "--out", "old", "train.py")
    assert result.exit_code == 2
    assert "old already holds files" in result.stderr
    assert engine.calls == []


def test_a_missing_script_leaves_no_folder_behind(cli, engine, tmp_path):
    assert cli("run", "nosuch.py").exit_code == 2
    assert os.listdir(tmp_path) == ["train.py"]  # noqa: PTH208


def test_a_syntax_error_is_the_scripts_own_to_report(cli, engine, tmp_path):
    (tmp_path / "wrong.py").write_text("x = = 1\n")
    assert cli("run", "wrong.py").exit_code == 0
    assert len(engine.calls) == 1


@pytest.mark.parametrize(
    ("switches", "names"),
    [
        ({}, []),
        ({"a": {"holds": False}, "b": {"holds": True}, "c": 3}, ["a"]),
        ({"audit": [{"name": "a", "holds": False}, {"holds": False}]}, ["a", "audit"]),
        ([None, "x", 1.5], []),
    ],
)
def test_switches_that_do_not_hold_are_found_in_any_form(switches, names):
    assert switches_not_held(switches) == names

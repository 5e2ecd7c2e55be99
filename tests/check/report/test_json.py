from __future__ import annotations

import json
import math
import os
import stat
import sys
from pathlib import Path

import pytest

from samebits.check.diff.verdict import Cause, Divergence, Verdict
from samebits.check.report.json import render_json, write_json
from samebits.errors import UsageError

KEYS = [
    "schema",
    "verdict",
    "runs",
    "first_divergence",
    "causes",
    "variations",
    "minimal_controls",
    "cuda_outlook",
]


def test_the_keys_that_others_rely_on_are_there_in_this_order(make_verdict):
    content = json.loads(render_json(make_verdict()))
    assert [key for key in content if key in KEYS] == KEYS
    assert content["schema"] == "samebits.verdict/1"
    assert {"folder", "steps", "ops", "exit_code", "seconds"} <= set(content["runs"][0])
    assert {
        "step",
        "phase",
        "op",
        "module",
        "file",
        "line",
        "function",
        "max_abs",
        "max_ulp",
    } <= set(content["first_divergence"])
    assert {"code", "detail", "file", "line", "evidence", "fix", "confidence"} <= set(
        content["causes"][0]
    )


def test_a_verdict_same_has_no_first_divergence(make_verdict):
    assert json.loads(render_json(make_verdict("same")))["first_divergence"] is None


@pytest.mark.parametrize(
    ("value", "word"), [(math.inf, "inf"), (-math.inf, "-inf"), (math.nan, "nan")]
)
def test_numbers_that_json_lacks_become_null_and_a_word(make_verdict, make_divergence, value, word):
    divergence = make_divergence(max_abs=value, detail="overflow")
    written = json.loads(render_json(make_verdict(first_divergence=divergence)))["first_divergence"]
    assert written["max_abs"] is None
    assert written["detail"] == f"overflow; max_abs is {word}"


def test_such_numbers_are_found_in_lists_too(make_verdict):
    verdict = make_verdict(variations=({"name": "threads", "ratios": [1.0, math.nan]},))
    assert json.loads(render_json(verdict))["variations"][0]["ratios"] == [1.0, None]


def test_the_file_replaces_the_old_one_and_leaves_nothing_beside(tmp_path, make_verdict):
    target = tmp_path / "verdict.json"
    target.write_text("old")
    write_json(make_verdict(), str(target))
    assert json.loads(target.read_text())["verdict"] == "different"
    assert list(tmp_path.iterdir()) == [target]


def test_a_failure_leaves_the_old_file_as_it_was(tmp_path, make_verdict, monkeypatch):
    target = tmp_path / "verdict.json"
    target.write_text("old")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match="No space left on device"):
        write_json(make_verdict(), str(target))
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.skipif(sys.platform == "win32", reason="no permission bits")
def test_the_file_is_as_readable_as_any_new_file(tmp_path, make_verdict):
    (tmp_path / "other").touch()
    write_json(make_verdict(), str(tmp_path / "verdict.json"))
    modes = {stat.S_IMODE(entry.stat().st_mode) for entry in tmp_path.iterdir()}
    assert len(modes) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights")
def test_a_link_stays_a_link(tmp_path, make_verdict):
    (tmp_path / "link.json").symlink_to("real.json")
    write_json(make_verdict(), str(tmp_path / "link.json"))
    assert (tmp_path / "link.json").is_symlink()
    assert json.loads((tmp_path / "real.json").read_text())


def test_a_folder_that_is_missing_is_named(tmp_path, make_verdict):
    with pytest.raises(UsageError, match=r"nowhere.*No such file") as caught:
        write_json(make_verdict(), str(tmp_path / "nowhere" / "v.json"))
    assert "--json" in caught.value.hint


def test_a_dash_is_standard_output(make_verdict, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_json(make_verdict(), "-")
    assert json.loads(capsys.readouterr().out)["verdict"] == "different"
    assert not Path("-").exists()


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no /dev/fd")
def test_a_pipe_is_written_not_replaced(make_verdict):
    reading, writing = os.pipe()
    write_json(make_verdict("same"), f"/dev/fd/{writing}")
    os.close(writing)
    with open(reading, encoding="ascii") as stream:
        assert json.load(stream)["verdict"] == "same"


def test_files_below_the_current_folder_are_named_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    inside, outside = str(tmp_path / "train.py"), "/somewhere/else.py"
    cause = Cause(
        code="unknown",
        detail="",
        file=outside,
        line=1,
        evidence="",
        fix="",
        confidence="likely",
    )
    divergence = Divergence(kind="output", step=0, phase="setup", op="aten.rand", file=inside)
    verdict = Verdict(verdict="different", runs=(), first_divergence=divergence, causes=(cause,))
    content = json.loads(render_json(verdict))
    assert content["first_divergence"]["file"] == "train.py"
    assert content["causes"][0]["file"] == outside

"""The command line of `samebits env`."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from samebits.cli.app import app
from samebits.environment import Environment

from .conftest import changed


@pytest.fixture
def files(environment, tmp_path):
    environment.write(tmp_path / "a.json")
    changed(environment, "threads", torch=8).write(tmp_path / "b.json")
    changed(environment, "system", kernel="5").write(tmp_path / "c.json")
    return tmp_path


def run(*arguments):
    result = CliRunner().invoke(app, ["env", *map(str, arguments)])
    return result.exit_code, result.output


@pytest.mark.parametrize(("other", "code"), [("a", 0), ("b", 1), ("c", 0)])
def test_the_exit_code_says_whether_bits_can_change(files, other, code):
    assert run("diff", files / "a.json", files / f"{other}.json")[0] == code


def test_a_difference_is_told_with_its_remedy(files):
    _, output = run("diff", files / "a.json", files / "b.json")
    assert "threads.torch  2 in A, 8 in B" in output
    assert "torch.set_num_threads(2)" in output


def test_json_is_for_machines(files):
    _, output = run("diff", "--json", files / "a.json", files / "b.json")
    content = json.loads(output)
    assert content["schema"] == "samebits.environment-diff/1"
    assert [entry["fact"] for entry in content["differences"]] == ["threads.torch"]


def test_an_unknown_group_lists_the_groups(files):
    code, output = run("diff", "--only", "hardwear", files / "a.json", files / "b.json")
    assert code == 2
    assert "hardware" in output


def test_hostile_names_are_shown_safely(files, environment):
    nasty = {"\x1b[31m[bold]evil\n": {"version": "\x1b]0;x\x07"}}
    environment = changed(environment, "packages", **nasty)
    environment.write(files / "n.json")
    code, output = run("diff", files / "a.json", files / "n.json")
    assert code == 1
    assert "\x1b" not in output
    assert "[bold]evil" in output


def test_this_machine_matches_its_own_capture(tmp_path):
    path = tmp_path / "e.json"
    assert run("capture", "-o", path)[0] == 0
    assert Environment.read(path).packages
    assert run("check", path) == (0, "The environments are the same.\n")


def test_a_missing_file_is_an_error(tmp_path):
    code, output = run("check", tmp_path / "none.json")
    assert code == 2
    assert "cannot read" in output

"""`samebits report`, `--html` and `samebits runs` from the command line."""

from __future__ import annotations

import json

import pytest
from tests.check.conftest import RunMaker

from samebits.check.report.page.sources import content_of
from samebits.check.report.page.write import write_page
from samebits.errors import UsageError


@pytest.fixture
def two_runs(tmp_path):
    record = RunMaker(tmp_path / "recorded")
    return record([{"outputs": 1}]).folder, record([{"outputs": 2}]).folder


def test_a_page_of_two_runs(cli, two_runs, tmp_path):
    page = tmp_path / "page.html"
    result = cli("report", *two_runs, "-o", page)
    assert result.exit_code == 0
    assert "kB" in result.stdout
    assert "DIFFERENT" in page.read_text(encoding="ascii")


def test_a_check_writes_its_page_and_keeps_its_verdict(cli, engine, different, tmp_path):
    engine.verdict = different
    result = cli("check", "--html", "page.html", "--out", tmp_path / "kept", "train.py")
    assert result.exit_code == 1
    with open("page.html", encoding="ascii") as file:
        assert "DIFFERENT" in file.read()
    with open(tmp_path / "kept" / "verdict.json") as file:
        assert json.load(file)["verdict"] == "different"
    assert cli("check", "--out", tmp_path / "kept", "train.py").exit_code == 1  # once more


def test_where_the_page_cannot_go_is_said_before_anything_runs(cli, engine):
    result = cli("check", "--html", "nowhere/page.html", "train.py")
    assert result.exit_code == 2
    assert "nowhere" in result.stderr
    assert engine.calls == []


def test_a_verdict_file_that_is_none_is_a_message(cli, tmp_path):
    (tmp_path / "v.json").write_text("{}")
    result = cli("report", tmp_path / "v.json")
    assert result.exit_code == 2
    assert result.stderr.startswith("samebits: error: ")
    assert "names no schema" in result.stderr


def test_runs_are_listed(cli, two_runs, tmp_path):
    result = cli("runs", "--in", tmp_path / "recorded")
    assert result.exit_code == 0
    assert "2 in all" in result.stdout
    assert cli("runs", "list", "--in", tmp_path / "recorded").stdout == result.stdout


def test_no_runs_yet_is_a_message(cli, tmp_path):
    result = cli("runs", "--in", tmp_path / "nowhere")
    assert result.exit_code == 2
    assert "nowhere" in result.stderr


def test_a_run_is_shown_again(cli, two_runs):
    result = cli("runs", "show", two_runs[0])
    assert result.exit_code == 0
    assert "no verdict was kept" in " ".join(result.stdout.split())


def test_the_oldest_are_removed(cli, two_runs, tmp_path):
    parent = tmp_path / "recorded"
    said = cli("runs", "rm", "--keep", 1, "--dry-run", "--in", parent)
    assert said.stdout.count("would remove") == 1
    assert len(list(parent.iterdir())) == 2
    assert cli("runs", "rm", "--keep", 1, "--in", parent).exit_code == 0
    assert len(list(parent.iterdir())) == 1
    assert "nothing to remove" in cli("runs", "rm", "--max-size", "1G", "--in", parent).stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "say what to remove"),
        (("--keep", 1, "somewhere"), "say what to remove"),
        (("--max-size", "big"), "no size"),
        (("somewhere",), "no recorded run"),
    ],
)
def test_a_removal_that_cannot_be_meant_is_refused(cli, options, message):
    result = cli("runs", "rm", *options)
    assert result.exit_code == 2
    assert message in result.stderr


def test_rows_are_exported(cli, two_runs, tmp_path):
    result = cli("runs", "export", two_runs[0], "-o", tmp_path / "ops.parquet")
    assert (result.exit_code, result.stdout.rpartition(": ")[2]) == (0, "1 rows\n")


def test_a_folder_is_named_after_the_subcommand(cli, two_runs, tmp_path):
    result = cli("runs", "--in", tmp_path / "recorded", "rm", "--keep", 0)
    assert result.exit_code == 2
    assert "after the subcommand" in result.stderr
    assert two_runs[0].is_dir()


def test_a_page_goes_to_a_file(cli, two_runs):
    result = cli("report", *two_runs, "-o", "-")
    assert result.exit_code == 2
    assert result.stdout == ""


@pytest.mark.parametrize("width", [40, 100, 200])
def test_a_folder_is_never_broken(cli, tmp_path, monkeypatch, width):
    folder = tmp_path / "recorded" / "2026-11-24-233626-c9d5-of-a-name-that-is-long"
    RunMaker(tmp_path)([{}], folder=folder / "run-1", created="2026-11-24T23:36:26+00:00")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", str(width))
    lines = cli("runs", "--in", "recorded").stdout.splitlines()
    assert any(line.endswith(f"recorded/{folder.name}") for line in lines)
    assert any(line.startswith("2026-11-24 23:36") for line in lines)


@pytest.mark.parametrize(
    "command",
    [
        ("runs", "export", "check", "-o", "ops.csv"),
        ("diff", "check", "check"),
        ("run", "--against", "check", "--out", "new", "train.py"),
    ],
)
def test_the_folder_of_a_check_leads_to_its_runs(cli, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("")
    record = RunMaker(tmp_path)
    for name in ("explain-1", "run-2", "run-1"):
        record([{}], folder=tmp_path / "check" / name)
    result = cli(*command)
    assert result.exit_code == 2
    assert "check is the folder of 3 runs" in result.stderr
    assert "such as check/run-1" in result.stderr


def test_a_page_that_cannot_be_written_says_which_option_to_change(two_runs, tmp_path):
    content = content_of([two_runs[0]])
    with pytest.raises(UsageError) as raised:
        write_page(content, tmp_path / "nowhere" / "page.html")
    assert "-o FILE" in raised.value.hint
    assert "--json" not in raised.value.hint

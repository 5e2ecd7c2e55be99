"""Run folders at URLs: read, listed, exported to, and refused where only a path will do."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import fsspec
import pytest
from tests.check.conftest import RunMaker

from samebits.check.trace.fetched_folders import fetched, folder_of, place_of
from samebits.check.trace.reader import Trace
from samebits.check.trace.sent_files import send_file, send_folder
from samebits.errors import TraceError, UsageError


@pytest.fixture(autouse=True)
def memory():
    """fsspec's file system in memory, empty."""
    files = fsspec.filesystem("memory")
    files.store.clear()
    files.pseudo_dirs[:] = [""]
    yield files
    files.store.clear()


@pytest.fixture
def two_urls(tmp_path):
    """Two runs that differ in an operation, in memory://."""
    record = RunMaker(tmp_path / "recorded")
    for name, outputs in (("a", 1), ("b", 2)):
        send_folder(record([{"outputs": outputs}]).folder, f"memory://runs/{name}")
    return "memory://runs/a", "memory://runs/b"


def test_runs_at_urls_are_compared_and_named_by_them(cli, two_urls, tmp_path):
    result = cli("diff", *two_urls, "--json", tmp_path / "v.json", "--html", tmp_path / "p.html")
    assert result.exit_code == 1
    assert all(url in result.stdout for url in two_urls)
    found = json.loads((tmp_path / "v.json").read_text())
    assert [run["folder"] for run in found["runs"]] == list(two_urls)
    assert "is gone" not in (tmp_path / "p.html").read_text()


def test_a_page_of_runs_at_urls(cli, two_urls, tmp_path):
    assert cli("report", *two_urls, "-o", tmp_path / "page.html").exit_code == 0
    page = (tmp_path / "page.html").read_text()
    assert "DIFFERENT" in page
    assert two_urls[0] in page
    assert "is gone" not in page


def test_a_check_at_a_url_is_shown_with_its_runs(cli, two_urls, memory, tmp_path):
    cli("diff", *two_urls, "--json", tmp_path / "verdict.json")
    text = (tmp_path / "verdict.json").read_text().replace("memory://runs/a", "runs/x/run-1")
    (tmp_path / "verdict.json").write_text(text.replace("memory://runs/b", "runs/x/run-2"))
    send_file(tmp_path / "verdict.json", "memory://check/verdict.json")
    for one, other in (("a", "run-1"), ("b", "run-2")):
        memory.copy(f"/runs/{one}", f"/check/{other}", recursive=True)
    assert cli("report", "memory://check", "-o", tmp_path / "page.html").exit_code == 0
    assert "is gone" not in (tmp_path / "page.html").read_text()
    shown = cli("runs", "show", "memory://check")
    assert "DIFFERENT" in shown.stdout


def test_runs_at_a_url_are_listed_without_their_rows(cli, two_urls, memory, monkeypatch):
    read = []
    original = type(memory).get_file
    monkeypatch.setattr(
        type(memory),
        "get_file",
        lambda self, name, target, **more: read.append(name) or original(self, name, target),
    )
    result = cli("runs", "--in", "memory://runs")
    assert result.exit_code == 0
    assert all(url in result.stdout for url in two_urls)
    whole = sum(facts["size"] for facts in memory.find("/runs", detail=True).values())
    assert f"2 in all, {whole / 1000:.1f} kB" in result.stdout
    assert {name.rpartition("/")[2] for name in read} == {"manifest.json"}


def test_the_ledger_and_the_facts_of_a_run_at_a_url(cli, two_urls):
    assert cli("ledger", two_urls[0]).exit_code == 0
    shown = cli("runs", "show", two_urls[0])
    assert shown.exit_code == 0
    assert two_urls[0] in shown.stdout


def test_rows_are_exported_to_a_url(cli, two_urls, memory):
    result = cli("runs", "export", two_urls[0], "-o", "memory://tables/ops.csv")
    assert result.stdout == "memory://tables/ops.csv: 1 rows\n"
    assert memory.cat("/tables/ops.csv").startswith(b'"row"')


def test_a_run_is_copied_to_a_url_when_it_has_ended(tmp_path):
    (tmp_path / "train.py").write_text("import torch\ntorch.ones(1) + 1\nraise SystemExit(7)\n")
    url = (tmp_path / "far" / "run").as_uri()
    command = [sys.executable, "-m", "samebits", "run", "--out", url, "train.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 7
    assert f"copied to {url}" in done.stderr
    assert Trace.open(tmp_path / "far" / "run").count_ops() > 0
    again = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert again.returncode == 2
    assert "already holds a run" in again.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "--out", "memory://runs/c", "train.py"),
        ("run", "--against", "memory://runs/a", "train.py"),
        ("runs", "rm", "memory://runs/a"),
        ("runs", "rm", "--keep", "1", "--in", "memory://runs"),
        ("collect", "memory://runs/a", "-o", "memory://runs/c"),
        ("report", "memory://runs/a", "-o", "memory://page.html"),
        ("diff", "memory://runs/a", "memory://runs/b", "--json", "memory://v.json"),
    ],
)
def test_where_only_a_path_will_do_that_is_said(cli, two_urls, arguments):
    result = cli(*arguments)
    assert result.exit_code == 2
    assert "is a URL: " in result.stderr
    names = [entry.name for entry in Path().iterdir()]
    assert not any(name.startswith(("memory:", "runs")) for name in names)


@pytest.mark.parametrize("url", ["memory://nowhere", "nothing://a/b", "file:///nowhere/at/all"])
@pytest.mark.parametrize("command", [("diff",), ("report",), ("runs", "show"), ("ledger",)])
def test_what_is_not_there_is_told(cli, command, url):
    result = cli(*command, url, *([url] if command == ("diff",) else []))
    assert result.exit_code == 2
    assert url in result.stderr


def test_damage_is_told_with_the_url(cli, two_urls, memory):
    memory.pipe("/runs/a/manifest.json", b"{}")
    result = cli("diff", *two_urls)
    assert result.exit_code == 2
    assert "memory://runs/a/manifest.json" in result.stderr


def test_a_url_that_was_not_named_is_not_fetched(two_urls):
    with pytest.raises(TraceError, match="is no folder"):
        Trace.open(two_urls[0])
    with fetched([two_urls[0]]):
        copy = folder_of(two_urls[0])
        assert Trace.open(two_urls[0]).place == two_urls[0]
        assert place_of(copy / "processes" / "0.1") == f"{two_urls[0]}/processes/0.1"
        assert folder_of(f"{two_urls[0]}/processes/0.1") == copy / "processes" / "0.1"
        with pytest.raises(TraceError):
            Trace.open(two_urls[1])
    assert not copy.exists()
    with pytest.raises(TraceError):
        Trace.open(two_urls[0])


def test_a_place_that_cannot_be_written_is_told(tmp_path, monkeypatch, memory):
    run = RunMaker(tmp_path)([{}])

    def full(*_, **__):
        raise OSError("the bucket is full")

    monkeypatch.setattr(type(memory), "put_file", full)
    with pytest.raises(UsageError, match="the bucket is full"):
        send_folder(run.folder, "memory://runs/a")

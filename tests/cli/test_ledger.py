from __future__ import annotations

import json
from hashlib import sha256

import pytest
from tests.check.process_entries import process_entry

from samebits.check.trace.ledger import write_ledger
from samebits.check.trace.manifest import Manifest
from samebits.check.trace.rows import LedgerRow, Site
from samebits.check.trace.writer import TraceWriter

SCRIPT = "import torch\n\nx = torch.rand(3)  # \x1b[31m\n"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run folder with a ledger, beside the script that it quotes."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "train.py"
    path.write_text(SCRIPT)
    site = Site(str(path), 3, "<module>", "")
    digest = sha256(SCRIPT.encode()).hexdigest()
    TraceWriter(tmp_path / "run", Manifest(script={"path": str(path), "sha256": digest}))
    rows = [
        LedgerRow(source="urandom", event="draw", detail="import torch", site=site, amount=32),
        LedgerRow(
            source="torch-cpu",
            event="draw",
            detail="torch.rand",
            site=site,
            calls=1000,
            amount=3000,
            seeded=0,
        ),
        LedgerRow(source="environment", event="read", detail="A\x1b[2J", site=None, worker=1),
    ]
    write_ledger(tmp_path / "run", rows)
    return "run"


def test_a_table_with_quoted_lines(cli, run):
    result = cli("ledger", run)
    assert result.exit_code == 0
    header, *lines = result.stdout.splitlines()
    assert header.split() == ["source", "event", "calls", "amount", "seeded", "where"]
    assert lines[0].split()[:6] == ["torch-cpu", "draw", "1,000", "3,000", "no", "train.py:3"]
    assert lines[0].endswith("torch.rand")
    assert lines[1].strip() == "x = torch.rand(3)  # \\x1b[31m"
    assert lines[2].split() == ["environment", "read", "1", "A\\x1b[2J", "(worker", "1)"]
    assert lines[3].endswith("is not shown; see --all.")
    assert "\x1b" not in result.stdout


def test_everything(cli, run):
    result = cli("ledger", "--all", run)
    assert "urandom" in result.stdout
    assert "left out" not in result.stdout


def test_some_sources(cli, run):
    result = cli("ledger", run, "--source", "torch-cpu,numpy")
    assert "torch-cpu" in result.stdout
    assert "environment" not in result.stdout


def test_an_unknown_source_is_a_message(cli, run):
    result = cli("ledger", run, "--source", "dice")
    assert result.exit_code == 2
    assert "'dice' is no source" in result.stderr
    assert "torch-generator" in result.stderr


def test_json(cli, run):
    result = cli("ledger", run, "--json", "-")
    content = json.loads(result.stdout)
    assert content["schema"] == "samebits.ledger/1"
    assert content["rows"][1]["detail"] == "torch.rand"
    assert content["rows"][1]["line"] == 3
    assert content["rows"][2]["file"] is None
    assert cli("ledger", run, "--json", "all.json").exit_code == 0
    with open("all.json") as stream:
        assert json.load(stream) == content


RANK = process_entry("0.1", rank=1)


@pytest.fixture
def ranks(tmp_path, monkeypatch):
    """A run whose rank 1 has drawn something, and its launcher has read a clock."""
    monkeypatch.chdir(tmp_path)
    for folder, source, processes in ((".", "clock", [RANK]), ("processes/0.1", "python", [])):
        path = tmp_path / "run" / folder
        TraceWriter(path, Manifest(processes=processes))
        write_ledger(path, [LedgerRow(source=source, event="read", detail="f", site=None)])
    return "run"


def test_each_process_has_its_ledger_shown(cli, ranks):
    lines = cli("ledger", ranks).stdout.splitlines()
    assert [line.split()[0] for line in lines if line] == [
        "source",
        "clock",
        "rank",
        "source",
        "python",
    ]
    cli("ledger", "--json", "l.json", ranks)
    with open("l.json") as stream:
        found = [(row["of"], row["source"]) for row in json.load(stream)["rows"]]
    assert found == [("", "clock"), ("rank 1", "python")]


@pytest.mark.parametrize(("name", "shown"), [("rank 1", "python"), ("script", "clock")])
def test_one_process_alone(cli, ranks, name, shown):
    result = cli("ledger", "--process", name, ranks)
    assert {word for word in ("python", "clock") if word in result.stdout} == {shown}


def test_an_unknown_process_is_a_message(cli, ranks):
    result = cli("ledger", "--process", "rank 7", ranks)
    assert result.exit_code == 2
    assert "no process of this run is called 'rank 7'" in result.stderr
    assert "choose from script, rank 1" in result.stderr


def test_a_run_without_a_ledger(cli, tmp_path):
    TraceWriter(tmp_path / "bare", Manifest())
    result = cli("ledger", str(tmp_path / "bare"))
    assert (result.exit_code, result.stdout) == (0, "The ledger is empty.\n")


def test_a_folder_that_is_no_run_is_a_message(cli, tmp_path):
    result = cli("ledger", str(tmp_path))
    assert result.exit_code == 2
    assert "manifest.json" in result.stderr

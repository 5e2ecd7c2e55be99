from __future__ import annotations

import dataclasses
import json
from dataclasses import replace

import pytest

from samebits.check.agreement import findings, other_counts
from samebits.check.trace.manifest import Manifest
from samebits.check.trace.reader import Trace
from samebits.check.trials import manifest_causes


@pytest.fixture
def opened(monkeypatch):
    """Trace.open that takes any name, and nothing that reads what is then no manifest."""

    class Opened(str):
        ranks = ()

    names = []
    monkeypatch.setattr(other_counts, "have_other_counts", lambda a, b: False)
    monkeypatch.setattr(findings, "findings_of_both", lambda a, b: ())
    monkeypatch.setattr(manifest_causes, "with_cause_from_manifests", lambda verdict, a, b: verdict)
    monkeypatch.setattr(
        Trace, "open", lambda folder: names.append(str(folder)) or Opened(f"<{folder}>")
    )
    return names


def test_two_runs_are_opened_and_compared(cli, engine, different, opened):
    engine.verdict = different
    result = cli("diff", "a", "b")
    assert result.exit_code == 1
    assert "DIFFERENT" in result.stdout
    assert (engine.only_call.a, engine.only_call.b) == ("<a>", "<b>")


def test_no_file_is_quoted_that_the_runs_do_not_vouch_for(cli, engine, different, opened, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret line\n" * 9)
    found = replace(different.first_divergence, file=str(secret), line=3)
    engine.verdict = replace(different, first_divergence=found)
    assert "the secret line" not in cli("diff", "a", "b").stdout


def test_options_may_stand_anywhere(cli, engine, opened):
    result = cli("diff", "a", "--quiet", "b", "--json", "v.json")
    assert result.exit_code == 0
    assert result.stdout == "same: both runs gave the same bits in every operation\n"
    with open("v.json") as stream:
        assert json.load(stream)["verdict"] == "same"


def test_a_folder_that_is_no_run_is_a_message(cli, engine, tmp_path):
    (tmp_path / "a").mkdir()
    result = cli("diff", "a", "b")
    assert result.exit_code == 2
    assert result.stderr.startswith("samebits: error: cannot read a/manifest.json")
    assert engine.calls == []


def test_another_schema_is_a_message(cli, engine, tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "manifest.json").write_text(
        json.dumps({**Manifest().to_json(), "schema": "samebits.run/999"})
    )
    result = cli("diff", "a", "a")
    assert result.exit_code == 2
    assert "samebits.run/999" in result.stderr


def test_one_folder_is_too_few(cli, engine):
    result = cli("diff", "a")
    assert result.exit_code == 2
    assert "RUN_B" in result.stderr


def test_incomplete_ends_with_4_unless_it_is_accepted(cli, engine, same, opened):
    engine.verdict = dataclasses.replace(same, verdict="incomplete")
    for options, code in (((), 4), (("--accept-incomplete",), 0)):
        result = cli("diff", "a", "b", *options)
        assert result.exit_code == code
        assert "INCOMPLETE" in result.stdout

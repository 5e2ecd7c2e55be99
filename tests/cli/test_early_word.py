"""What is said before the cause is known, and what is left when the search for it is ended."""

from __future__ import annotations

import json

import pytest

from samebits.check.diff.verdict import Divergence
from samebits.check.trials.limits import Limits
from samebits.cli.preliminary import EarlyWord


def test_the_verdict_is_said_once_it_is_known(cli, engine, different):
    engine.verdict, engine.early = different, (different, different)
    result = cli("check", "train.py")
    said = [line for line in result.stderr.splitlines() if "DIFFERENT" in line]
    search = "looking for the cause: about 8 further runs, 8 s at most"
    assert said == [f"samebits: DIFFERENT at train.py:1; {search}"]


def test_nothing_is_looked_for_where_nobody_asked(cli, engine, different):
    engine.verdict, engine.early = different, (different,)
    result = cli("check", "--no-attribute", "train.py")
    assert "samebits: DIFFERENT at train.py:1\n" in result.stderr


def test_runs_that_agree_need_no_early_word(cli, engine, same):
    engine.early = (same,)
    assert "SAME" not in cli("check", "train.py").stderr


def test_text_that_differs_is_told_before_it_is_known_whether_it_matters(cli, engine, same):
    detail = "printed line 2 differs: 'took 3.1' in A, 'took 3.3' in B"
    engine.text = Divergence(kind="printed", step=0, phase="setup", op="print", detail=detail)
    said = f"samebits: the recorded operations agree, but {detail}; checking whether only times"
    assert said in cli("check", "train.py").stderr
    assert cli("check", "--quiet", "train.py").stderr == ""


def test_quiet_says_one_line_at_the_end(cli, engine, different):
    engine.verdict, engine.early = different, (different,)
    assert cli("check", "--quiet", "train.py").stderr == ""


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(143)])
def test_an_interrupted_search_leaves_what_is_known(cli, engine, different, tmp_path, error):
    engine.early, engine.error = (different,), error
    result = cli("check", "--json", "verdict.json", "train.py")
    assert result.exit_code in (130, 143)
    assert "DIFFERENT" in result.stdout
    assert "search for the cause had ended" in result.stdout
    content = json.loads((tmp_path / "verdict.json").read_text())
    assert content["verdict"] == "different"


def test_the_file_is_there_before_the_cause_is(different, tmp_path):
    early = EarlyWord(Limits(), None, str(tmp_path / "verdict.json"))
    early(different)
    content = json.loads((tmp_path / "verdict.json").read_text())
    assert content["verdict"] == "different"
    assert any("preliminary" in note for note in content["notes"])


def test_a_long_search_is_told_in_minutes(different):
    said: list[str] = []
    EarlyWord(Limits(seconds=600), said.append)(different)
    assert said[0].endswith("8 s at most")
    said.clear()
    runs = tuple(type(run)(**{**run.__dict__, "seconds": 100.0}) for run in different.runs)
    slow = type(different)(**{**different.__dict__, "runs": runs})
    EarlyWord(Limits(), said.append)(slow)
    assert said[0].endswith("about 8 further runs, 8 min at most")

"""A verdict file is read back as it was written, and nothing else is taken for one."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, settings
from tests.check.report.test_hostile import VERDICTS

from samebits.check.report.json import render_json
from samebits.check.report.verdict_file import read_verdict
from samebits.errors import UsageError


@settings(deadline=None, derandomize=True, max_examples=40)
@given(verdict=VERDICTS)
def test_what_was_written_is_read_back(verdict, tmp_path_factory):
    file = tmp_path_factory.getbasetemp() / "verdict.json"
    file.write_text(render_json(verdict))
    again = read_verdict(file)
    assert render_json(again).count("\n") == render_json(verdict).count("\n")
    assert again.verdict == verdict.verdict
    assert [run.folder for run in again.runs] == [run.folder for run in verdict.runs]
    for run, before in zip(again.runs, verdict.runs, strict=True):
        assert run.seconds == before.seconds or not math.isfinite(before.seconds)
    assert again.causes == tuple(
        type(cause)(**{**vars(cause), "file": read.file})
        for cause, read in zip(verdict.causes, again.causes, strict=True)
    )


def edited(verdict, change):
    content = json.loads(render_json(verdict))
    change(content)
    return content


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.update(schema="samebits.verdict/9"), "its schema is samebits.verdict/9"),
        (lambda c: c.pop("schema"), "it names no schema"),
        (lambda c: c.pop("runs"), "'runs' is missing"),
        (lambda c: c.update(verdict="fine"), "'verdict' is not one of same"),
        (lambda c: c.update(runs={}), "'runs' is not a list"),
        (lambda c: c["runs"][0].update(steps="many"), "'runs[0].steps' is not a number"),
        (lambda c: c["runs"][0].update(steps=True), "'runs[0].steps' is not a number"),
        (lambda c: c["first_divergence"].update(rows=[1]), "'first_divergence.rows' is not a list"),
        (lambda c: c["first_divergence"].update(line="5"), "'first_divergence.line' is not"),
        (lambda c: c.update(notes=[1]), "'notes[0]' is not text"),
        (lambda c: c.update(variations=[1]), "'variations[0]' is not an object"),
    ],
)
def test_another_shape_is_a_message(change, message, make_verdict, make_divergence, tmp_path):
    file = tmp_path / "verdict.json"
    verdict = make_verdict(first_divergence=make_divergence())
    file.write_text(json.dumps(edited(verdict, change)))
    with pytest.raises(UsageError, match=r"verdict\.json") as caught:
        read_verdict(file)
    assert message in caught.value.message


@pytest.mark.parametrize("content", ["", "[]", "{", "nonsense", "[" * 100_000, '{"schema": 5}'])
def test_what_is_no_verdict_is_a_message(content, tmp_path):
    file = tmp_path / "verdict.json"
    file.write_text(content)
    with pytest.raises(UsageError, match="verdict"):
        read_verdict(file)


def test_keys_of_a_later_version_are_passed_over(make_verdict, tmp_path):
    file = tmp_path / "verdict.json"
    verdict = make_verdict()
    content = edited(verdict, lambda c: (c.update(later=1), c["runs"][0].update(later=2)))
    file.write_text(json.dumps(content))
    assert read_verdict(file) == verdict

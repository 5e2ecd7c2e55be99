"""`samebits watch` from the command line: what it refuses, and how it says so."""

from __future__ import annotations

import importlib.util

import pytest

from samebits.check.report.watch import app as watch_app


def test_without_textual_it_says_what_to_install(cli, tmp_path, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "textual" else found(name)
    )
    result = cli("watch", tmp_path)
    assert result.exit_code == 2
    assert "pip install 'samebits[watch]'" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere",), "nowhere is no folder"),
        (("s3://bucket/run",), "is a URL"),
        ((".", "--against", "s3://bucket/run"), "is a URL"),
        ((".",), "needs a terminal"),
    ],
)
def test_what_cannot_be_watched_is_said(cli, arguments, message):
    result = cli("watch", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_it_watches_the_folder_in_a_terminal(cli, tmp_path, monkeypatch):
    watched = []
    monkeypatch.setattr("samebits.cli.commands.watch.is_terminal", lambda: True)
    monkeypatch.setattr(watch_app.WatchApp, "run", lambda self: watched.append(self._run.folder))
    assert cli("watch", tmp_path).exit_code == 0
    assert watched == [tmp_path]

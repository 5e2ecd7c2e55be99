from __future__ import annotations

import io
import sys
from types import SimpleNamespace

import pytest

from samebits.cli.progress import show_progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def at(steps, ops):
    return SimpleNamespace(steps=steps, ops=ops, seconds=1.0)


def test_quiet_is_silent(capsys):
    with show_progress(quiet=True) as on_progress:
        assert on_progress is None
    assert capsys.readouterr() == ("", "")


def test_a_terminal_shows_steps_and_operations_and_is_left_clean(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "xterm")
    with show_progress(quiet=False) as on_progress:
        on_progress("run 1 of 2", at(3, 4567))
        on_progress("run 2 of 2", at(1, 20))
        on_progress("run 2 of 2", at(12, 34567))
    shown = terminal.getvalue()
    assert "run 2 of 2" in shown
    assert "12 steps" in shown
    assert "34,567 operations" in shown
    assert "\x1b[?25h" in shown  # the cursor is back


def test_an_error_leaves_the_terminal_clean(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")

    def interrupted():
        with show_progress(quiet=False) as on_progress:
            on_progress("run 1 of 2", at(0, 0))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert "\x1b[?25h" in terminal.getvalue()

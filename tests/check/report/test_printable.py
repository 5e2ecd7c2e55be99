from __future__ import annotations

import pytest

from samebits.check.report.printable import (
    MAX_LENGTH,
    printable_lines,
    printable_source,
    printable_text,
)


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b[2J", r"\x1b[2J"),
        ("\x9b31m", r"\x9b31m"),
        ("a\rb\nc", r"a\x0db\x0ac"),
        ("\u202efdp.exe", r"\u202efdp.exe"),
        ("in\u200bvisible", r"in\u200bvisible"),
        ("\udc80", r"\udc80"),
        ("\U000e0041", r"\U000e0041"),
        ("line\u2028break", r"line\u2028break"),
    ],
)
def test_what_steers_a_terminal_becomes_visible(hostile, shown):
    assert printable_text(hostile) == shown


def test_letters_of_every_script_stay():
    text = "Größe = шаг + 学習率  # [bold]no markup[/bold]"
    assert printable_text(text) == text


def test_a_text_without_end_is_cut():
    assert len(printable_text("x" * 10 * MAX_LENGTH)) == MAX_LENGTH


def test_source_keeps_its_columns_and_loses_its_end():
    assert printable_source("\tx = 1\t# y\r\n") == "    x = 1   # y"


def test_lines_end_at_newlines_only():
    assert printable_lines("a\x0cb\nc\u2028d\n\n") == [r"a\x0cb", r"c\u2028d"]

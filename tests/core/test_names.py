from __future__ import annotations

import pytest

from samebits.core.names import printable, storable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("train.py", "train.py"),
        ("naïve/模型.py", "naïve/模型.py"),
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("a\nb\r\tc", "a\\x0ab\\x0d\\x09c"),
        ("exe\u202eyp.niart", "exe\\u202eyp.niart"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("\udcff", "\\udcff"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_printable(text, shown):
    assert printable(text) == shown


def test_printable_is_bounded():
    assert len(printable("\x00" * 10**6, limit=10)) < 50


def test_storable():
    assert storable("a\udc80") == "a\\udc80"

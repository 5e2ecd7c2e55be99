"""Where a class stores an attribute."""

from __future__ import annotations

import pytest

from samebits.core.source.attributes import line_that_stores

SOURCE = """\
class Pings:
    def __init__(self, path):
        self.stream = open(path)
        self.count: int = 3
        self.other = self.again = 1

    def reset(self):
        self.again = 2


class Others:
    def __init__(self):
        self.stream = None
"""


@pytest.mark.parametrize(
    ("kind", "attribute", "line"),
    [
        ("Pings", "stream", 3),
        ("Pings", "count", 4),
        ("Pings", "other", 5),
        ("Pings", "again", None),
        ("Pings", "missing", None),
        ("Others", "stream", 13),
        ("Nobody", "stream", None),
    ],
)
def test_the_one_line_is_found(tmp_path, kind, attribute, line):
    file = tmp_path / "pings.py"
    file.write_text(SOURCE)
    assert line_that_stores(str(file), kind, attribute) == line

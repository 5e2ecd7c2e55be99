"""Strings that are SQL and call RANDOM()."""

from __future__ import annotations

import pytest

from samebits.core.source.sql import draws_in_sql

VIEW = """
CREATE VIEW audit AS
    SELECT * FROM tickets
    WHERE kind = 'ring' AND branch > 6
      AND abs({}()) % 5 < 3;
"""


@pytest.mark.parametrize(
    ("source", "draws"),
    [
        (f'SCHEMA = """{VIEW.format("random")}"""', True),
        (f'SCHEMA = """{VIEW.format("RANDOMBLOB")}"""', True),
        (f'SCHEMA = """{VIEW.format("length")}"""', False),
        ('SCHEMA = """CREATE TABLE s (\n  fold INTEGER DEFAULT (abs(random()) % 5)\n);"""', True),
        ("QUERY = ('SELECT * FROM t '\n    'ORDER BY RANDOM() LIMIT 5')", True),
        ('"""Set up the tables. Default rows come first; never call random() here."""', False),
        ('db.execute("UPDATE s SET fold = abs(random()) % 5")', True),
        ("values = load(x)\nlimit = 3\nfor i in range(limit):\n    y = random()", False),
        ('db.execute("SELECT n FROM t")\nx = random()', False),
        ("def broken(", False),
    ],
)
def test_it_is_looked_for_in_each_string(tmp_path, source, draws):
    script = tmp_path / "store.py"
    script.write_text(source)
    assert draws_in_sql(str(script)) == draws


def test_a_file_that_is_not_there_holds_none(tmp_path):
    assert not draws_in_sql(str(tmp_path / "none.py"))
    assert not draws_in_sql(None)

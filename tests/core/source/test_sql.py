"""Strings that are SQL and call RANDOM()."""

from __future__ import annotations

import pytest

from samebits.check.causes.culprit import Culprit
from samebits.check.causes.writing.fix import fix
from samebits.core.source.sql import (
    asks_for_the_time_in_sql,
    drawn_column_in_sql,
    drawn_order_in_sql,
    draws_in_sql,
)

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
        ("rows = db.execute(query + 'RANDOM() LIMIT ?', (9,))", True),
        ("rows = db.execute(query + 'abs(random()) % 5')", True),
        ("note = 'random() is not called'", False),
        ("name = 'random(x)'", False),
        ("values = load(x)\nlimit = 3\nfor i in range(limit):\n    y = random()", False),
        ('db.execute("SELECT n FROM t")\nx = random()', False),
        ("def broken(", False),
    ],
)
def test_it_is_looked_for_in_each_string(tmp_path, source, draws):
    script = tmp_path / "store.py"
    script.write_text(source)
    assert draws_in_sql(str(script)) == draws


@pytest.mark.parametrize(
    ("source", "asks"),
    [
        ("Q = \"SELECT julianday(COALESCE(ended, 'now')) - julianday(began) FROM t\"", True),
        ("Q = 'SELECT * FROM t WHERE day < CURRENT_DATE'", True),
        ("db.execute('UPDATE t SET seen = unixepoch()')", True),
        ("Q = 'SELECT date(\"now\")'", True),
        ("Q = \"SELECT strftime('%s') - t.seconds FROM t\"", True),
        ("Q = \"SELECT strftime('%s', day) FROM t\"", False),
        ("Q = 'SELECT known, nowhere FROM t'", False),
        ("print('now')", False),
        ("S = 'CREATE TABLE t (made TEXT DEFAULT CURRENT_TIMESTAMP)'", False),
    ],
)
def test_a_query_may_compute_with_the_present(tmp_path, source, asks):
    script = tmp_path / "store.py"
    script.write_text(source)
    assert asks_for_the_time_in_sql(str(script)) == asks


TABLES = """
CREATE TABLE player (name TEXT PRIMARY KEY, tuning REAL NOT NULL);
CREATE TABLE take (
    {} TEXT PRIMARY KEY DEFAULT (lower(hex({}(8)))),
    player TEXT NOT NULL
);
"""


@pytest.mark.parametrize(
    ("column", "function", "query", "found"),
    [
        ("take_id", "randomblob", "SELECT player FROM take ORDER BY take_id", "take_id"),
        ("key", "RANDOM", "SELECT t.player FROM take AS t order by t.key DESC", "key"),
        ("take_id", "randomblob", "SELECT player FROM take ORDER BY player", ""),
        ("take_id", "randomblob", "SELECT player FROM take", ""),
        ("take_id", "randomblob", "SELECT name FROM player ORDER BY take_id", ""),
        ("take_id", "randomblob", "SELECT player FROM take ORDER BY take_id LIMIT 9", ""),
        ("take_id", "randomblob", "SELECT * FROM take JOIN player ORDER BY take_id", ""),
        ("take_id", "zeroblob", "SELECT player FROM take ORDER BY take_id", ""),
    ],
)
def test_rows_may_be_in_the_order_of_a_key_that_each_has_drawn(
    tmp_path, column, function, query, found
):
    script = tmp_path / "store.py"
    script.write_text(f'SCHEMA = """{TABLES.format(column, function)}"""\nQUERY = "{query}"\n')
    assert drawn_order_in_sql(str(script)) == found
    culprit = Culprit(file=str(script), line=8, detail="sqlite")
    advice = fix("entropy", culprit, frozenset())
    assert ("by rowid in place of" in advice) == bool(found)
    # Whatever the order goes by, the row's own value is what was drawn.
    assert (f"draws its {column} at random" in advice) == (function != "zeroblob")
    assert ("choose among them in Python" in advice) == (function == "zeroblob")


def test_a_query_that_draws_by_itself_comes_first(tmp_path):
    script = tmp_path / "store.py"
    tables = TABLES.format("key", "randomblob")
    queries = ("SELECT player FROM take ORDER BY key", "SELECT player FROM take ORDER BY RANDOM()")
    script.write_text(f'SCHEMA = """{tables}"""\nQUERIES = {queries[:1]}\n')
    assert drawn_order_in_sql(str(script)) == drawn_column_in_sql(str(script)) == "key"
    script.write_text(f'SCHEMA = """{tables}"""\nQUERIES = {queries}\n')
    assert drawn_order_in_sql(str(script)) == drawn_column_in_sql(str(script)) == ""


def test_a_string_may_be_several_commands(tmp_path):
    script = tmp_path / "store.py"
    tables = TABLES.format("key", "randomblob")
    script.write_text(f'SCRIPT = """{tables} SELECT player FROM take ORDER BY RANDOM();"""\n')
    assert drawn_column_in_sql(str(script)) == ""
    script.write_text(f'SCRIPT = """{tables} SELECT player FROM take ORDER BY key;"""\n')
    assert drawn_order_in_sql(str(script)) == drawn_column_in_sql(str(script)) == "key"


def test_a_file_that_is_not_there_holds_none(tmp_path):
    assert not draws_in_sql(str(tmp_path / "none.py"))
    assert not draws_in_sql(None)

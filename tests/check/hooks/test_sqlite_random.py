"""The hook "sqlite-random": what a database draws comes from a fixed stream."""

from __future__ import annotations

from ast import literal_eval

IN_SQL = """
import sqlite3
base = sqlite3.connect(":memory:")
base.execute("CREATE TABLE t (n INTEGER)")
base.executemany("INSERT INTO t VALUES (?)", [(n,) for n in range(30)])
print([n for (n,) in base.execute("SELECT n FROM t ORDER BY RANDOM()")])
print(base.execute("SELECT RANDOM(), hex(RANDOMBLOB(4))").fetchone())
"""


def test_a_database_draws_from_the_stream(held):
    order, drawn = held(IN_SQL, {"sqlite-random": {}})
    assert sorted(literal_eval(order)) == list(range(30))
    assert literal_eval(order) != list(range(30))
    assert len(literal_eval(drawn)[1]) == 8


def test_what_the_system_draws_for_others_is_left_alone(run):
    source = """
        import os, sqlite3, uuid
        sqlite3.connect(":memory:")
        print(os.urandom(16).hex(), uuid.uuid4())
        """
    assert run(source, {"sqlite-random": {}}) != run(source, {"sqlite-random": {}})


def test_a_pin_of_the_system_leaves_a_database_alone(run):
    first, second = (run(IN_SQL, {"entropy": {}}) for _ in range(2))
    assert first != second

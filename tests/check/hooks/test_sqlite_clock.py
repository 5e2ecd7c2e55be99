"""The hook "sqlite-clock": a database knows one moment."""

from __future__ import annotations

from ast import literal_eval

IN_SQL = """
import sqlite3
base = sqlite3.connect(":memory:")
base.execute("CREATE TABLE t (word TEXT, made TEXT DEFAULT CURRENT_TIMESTAMP)")
base.execute("INSERT INTO t (word) VALUES ('now'), ('2026-01-02')")
for query in (
    "SELECT julianday(COALESCE(NULL, 'now')), strftime('%s', 'NOW'), date('now', '+1 day')",
    "SELECT CURRENT_TIMESTAMP, CURRENT_DATE, CURRENT_TIME, made FROM t LIMIT 1",
    "SELECT date(word) FROM t WHERE word <> 'now'",
    "SELECT datetime('2026-01-02 10:00', '-1 hour'), julianday(2460000.5), date(NULL)",
):
    print(base.execute(query).fetchone())
"""


def test_a_database_knows_one_moment(run):
    *of_now, of_a_day, of_others = map(literal_eval, run(IN_SQL, {"sqlite-clock": {}}))
    assert of_now == [
        (2460311.9166666665, "1704189600", "2024-01-03"),
        ("2024-01-02 10:00:00", "2024-01-02", "10:00:00", "2024-01-02 10:00:00"),
    ]
    assert of_a_day == ("2026-01-02",)
    assert of_others == ("2026-01-02 09:00:00", 2460000.5, None)


def test_its_functions_may_stand_in_an_index(run):
    source = """
import sqlite3
base = sqlite3.connect(":memory:")
base.execute("CREATE TABLE t (day TEXT)")
base.execute("CREATE INDEX days ON t (date(day))")
base.execute("INSERT INTO t VALUES ('2026-01-02 03:04')")
print(base.execute("SELECT date(day) FROM t").fetchone())
"""
    assert run(source, {"sqlite-clock": {}}) == ["('2026-01-02',)"]


def test_an_error_of_its_functions_stays_one(run):
    source = """
import sqlite3
base = sqlite3.connect(":memory:")
print(base.execute("SELECT date(' now '), date('now', 'no such change')").fetchone())
try:
    base.execute(f"SELECT datetime({', '.join('?' * 200)})", [1] * 200).fetchone()
except sqlite3.OperationalError as error:
    print(error)
"""
    lines = run(source, {"sqlite-clock": {}})
    assert lines[0] == "(None, None)"
    assert lines[1:]

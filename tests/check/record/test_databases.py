"""SQLite's databases are compared row by row; a run's own rows where there were some before."""

from __future__ import annotations

import sqlite3

import pytest

from samebits.check.diff.written_files import hold_the_same
from samebits.check.record.databases import (
    database_before,
    database_digest,
    database_path,
    is_as_it_was,
)
from samebits.check.trace.reader import Trace
from samebits.core.catalog.own_names import OwnNames

WRITING = """
    import os, sqlite3
    from pathlib import Path
    import torch

    known = sqlite3.connect("known.db")
    known.execute("SELECT * FROM t").fetchall()
    open_one = sqlite3.connect(b"open.db")
    open_one.execute("CREATE TABLE t (a)")
    open_one.execute("INSERT INTO t VALUES (1)")
    open_one.commit()
    open_one.execute("INSERT INTO t VALUES (2)")
    sqlite3.connect("file:by%20address.db?mode=rwc", uri=True).execute("CREATE TABLE t (a)")
    sqlite3.connect(":memory:").execute("CREATE TABLE t (a)")
    moved = sqlite3.connect(Path("new.tmp"))
    moved.execute("CREATE TABLE t (a)")
    moved.close()
    os.replace("new.tmp", "new.db")
    Path("none.db").write_bytes(bytes(range(256)))
    try:
        sqlite3.connect("none.db").execute("SELECT 1 FROM t")
    except sqlite3.DatabaseError:
        pass
"""


def change(path, *commands):
    with sqlite3.connect(path) as base:
        for command, *values in commands:
            base.execute(command, values)
    base.close()


def entry(path, before, own=None):
    digest, added = database_digest(str(path), before, own or OwnNames())
    return digest.to_json(added=added)


NEW = "CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, name, value)"
PICKLED = b"\x80\x04K\x01."
ADD = "INSERT INTO t (name, value) VALUES (?, ?)"


def test_which_databases_of_a_run_are_compared(scripts):
    change(scripts.folder / "known.db", ("CREATE TABLE t (a)",))
    scripts.write(WRITING)
    recorded, result = scripts.recorded("script.py")
    assert (recorded.code, recorded.stderr) == (0, b"")
    files = {
        file["path"].removeprefix(f"{scripts.folder}/"): file["kind"]
        for file in Trace.open(result.folder).manifest.files
    }
    assert files == {
        "open.db": "text",
        "by address.db": "text",
        "new.db": "text",
        "none.db": "bytes",
    }


def test_rows_count_in_their_order_and_the_file_does_not(tmp_path):
    def held(name, *commands):
        path = tmp_path / name
        before = database_before(str(path))
        change(path, (NEW,), *commands)
        return entry(path, before)

    one = held("a", (ADD, "w", 0.5), (ADD, "x", PICKLED))
    assert one["kind"] == "text"
    again = held("b", (ADD, "y", 1), ("DELETE FROM t",), (ADD, "w", 0.5), (ADD, "x", PICKLED))
    assert hold_the_same(one, again)
    others = [(ADD, "w", "0.5"), (ADD, "w", 0.25), (ADD, "w", None), (ADD, "v", 0.5)]
    for number, other in enumerate(others):
        assert not hold_the_same(one, held(f"c{number}", other, (ADD, "x", PICKLED)))
    assert not hold_the_same(one, held("d", (ADD, "x", PICKLED), (ADD, "w", 0.5)))
    assert not hold_the_same(one, held("e", (ADD, "w", 0.5), (ADD, "x", b"\x80\x04K\x02.")))
    timed = [held(f"f{n}", (ADD, "at", f"2024-01-0{n} 10:11:12")) for n in (1, 2)]
    assert hold_the_same(*timed)


def test_rows_that_are_added_to_those_of_earlier_runs(tmp_path):
    path = tmp_path / "log.db"

    def run(value, *commands):
        before = database_before(str(path))
        change(path, (NEW,), *commands, (ADD, "w", value), (ADD, "seed", 1))
        return entry(path, before)

    first, second, third, other = run(0.5), run(0.5), run(0.5), run(0.25)
    assert hold_the_same(first, second)
    assert hold_the_same(second, third)
    assert not hold_the_same(first, other)
    assert not hold_the_same(third, other)
    anew, again, last = (run(v, ("DELETE FROM t",)) for v in (0.5, 0.5, 0.75))
    assert hold_the_same(anew, again)
    assert hold_the_same(first, again)
    assert not hold_the_same(again, last)


def test_a_database_that_was_only_read(tmp_path):
    path = str(tmp_path / "a.db")
    change(path, (NEW,), (ADD, "w", 0.5))
    before = database_before(path)
    change(path, ("SELECT * FROM t",))
    assert is_as_it_was(path, before)
    change(path, (ADD, "w", 0.5))
    assert not is_as_it_was(path, before)


def test_what_is_no_database_is_none(tmp_path):
    (tmp_path / "a.db").write_bytes(bytes(range(256)))
    before = database_before(str(tmp_path / "a.db"))
    assert before.rows is None
    with pytest.raises(ValueError, match="not a database"):
        database_digest(str(tmp_path / "a.db"), before, OwnNames())
    assert database_path(7) is None
    assert database_path("") is None
    assert database_path("file:///a/b%20c?mode=ro") == "/a/b c"

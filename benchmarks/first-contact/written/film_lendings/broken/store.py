"""The lending desk's database."""
import sqlite3
from contextlib import closing

SCHEMA = """
CREATE TABLE films (id INTEGER PRIMARY KEY, title TEXT NOT NULL, year INTEGER NOT NULL);
CREATE TABLE loans (member INTEGER NOT NULL, film INTEGER NOT NULL REFERENCES films(id), day INTEGER NOT NULL);
CREATE INDEX loans_by_member ON loans(member, film);
"""


class Store:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.db.execute("PRAGMA synchronous = OFF")

    def fill(self, films, loans):
        with self.db:
            self.db.executescript(SCHEMA)
            self.db.executemany("INSERT INTO films VALUES (?, ?, ?)", films)
            self.db.executemany("INSERT INTO loans VALUES (?, ?, ?)", loans)

    def members(self):
        return [row[0] for row in self.db.execute("SELECT DISTINCT member FROM loans ORDER BY member")]

    def loans(self, before: int):
        return self.db.execute(
            "SELECT member, film FROM loans WHERE day < ? ORDER BY day, member, film", (before,)).fetchall()

    def held_out(self, since: int):
        return self.db.execute(
            "SELECT member, film FROM loans WHERE day >= ? ORDER BY day, member, film", (since,)).fetchall()

    def strangers(self, member: int, count: int):
        """Films that the member has never taken home, `count` of them at random."""
        with closing(self.db.cursor()) as cur:
            cur.execute(
                "SELECT id FROM films WHERE id NOT IN (SELECT film FROM loans WHERE member = ?)"
                " ORDER BY random() LIMIT ?", (member, count))
            return [row[0] for row in cur]

    def close(self):
        self.db.close()

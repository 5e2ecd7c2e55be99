"""Listening data in an SQLite file."""
import sqlite3

import numpy as np

SCHEMA = """
CREATE TABLE shows (show INTEGER PRIMARY KEY, topic INTEGER, title TEXT);
CREATE TABLE plays (listener INTEGER, show INTEGER, minutes REAL, UNIQUE (listener, show));
CREATE TABLE notes (at TEXT DEFAULT CURRENT_TIMESTAMP, text TEXT);
CREATE INDEX plays_by_show ON plays (show);
"""


class Store:
    def __init__(self, path, seed):
        path.unlink(missing_ok=True)
        self.db = sqlite3.connect(path)
        self.db.executescript(SCHEMA)
        self.rng = np.random.default_rng(seed)

    def populate(self, listeners, shows, topics, per_listener):
        rng = self.rng
        topic = rng.integers(0, topics, shows)
        popularity = rng.gamma(0.6, size=shows)
        with self.db:
            self.db.executemany("INSERT INTO shows VALUES (?, ?, ?)",
                                [(i, int(t), f"Show {i} on {t}") for i, t in enumerate(topic)])
            for listener in range(listeners):
                taste = rng.dirichlet(np.full(topics, 0.15))
                weight = popularity * taste[topic] + 1e-6
                heard = rng.choice(shows, per_listener, replace=False, p=weight / weight.sum())
                minutes = rng.exponential(30, per_listener)
                self.db.executemany("INSERT INTO plays VALUES (?, ?, ?)",
                                    [(listener, int(s), float(m)) for s, m in zip(heard, minutes)])

    def note(self, text):
        with self.db:
            self.db.execute("INSERT INTO notes (text) VALUES (?)", (text,))

    def plays(self):
        rows = self.db.execute("SELECT listener, show FROM plays WHERE minutes > 5 "
                               "ORDER BY listener, show")
        return np.array(rows.fetchall())

    def unheard(self, count):
        """Shows to compare with: any of those on offer, none of them twice."""
        rows = self.db.execute("SELECT show FROM shows ORDER BY show").fetchall()
        return self.rng.permutation([show for show, in rows])[:count]

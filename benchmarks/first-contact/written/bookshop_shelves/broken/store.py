"""The shop's purchase records, in SQLite, as the web team exports them."""

import sqlite3
from contextlib import closing

import numpy as np

SCHEMA = """
CREATE TABLE books (id INTEGER PRIMARY KEY, shelf TEXT NOT NULL, price REAL NOT NULL);
CREATE TABLE sales (reader INTEGER NOT NULL, book INTEGER NOT NULL, day INTEGER NOT NULL,
                    PRIMARY KEY (reader, book));
CREATE INDEX sales_by_day ON sales (day);
"""
SHELVES = ["crime", "garden", "history", "poetry", "travel"]


def create(path, readers=150, books=260, seed=3):
    rng = np.random.default_rng(seed)
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(SCHEMA)
        shelf = rng.integers(0, len(SHELVES), books)
        prices = rng.gamma(4.0, 4.0, books).round(2)
        db.executemany(
            "INSERT INTO books VALUES (?, ?, ?)",
            [(i, SHELVES[s], p) for i, (s, p) in enumerate(zip(shelf.tolist(), prices.tolist()))],
        )
        taste = rng.dirichlet(np.full(len(SHELVES), 0.4), readers)
        for reader in range(readers):
            weight = taste[reader][shelf] + 0.01
            bought = rng.choice(books, size=int(rng.integers(8, 20)), replace=False, p=weight / weight.sum())
            db.executemany(
                "INSERT INTO sales VALUES (?, ?, ?)",
                [(reader, int(b), int(d)) for b, d in zip(bought, rng.integers(0, 365, len(bought)))],
            )


class Store:
    def __init__(self, path):
        self.db = sqlite3.connect(path)

    def counts(self):
        return tuple(self.db.execute(f"SELECT COUNT(*) FROM {t}").fetchone()[0] for t in ("books", "sales"))

    def readers(self):
        return [r for (r,) in self.db.execute("SELECT DISTINCT reader FROM sales ORDER BY reader")]

    def history(self, reader):
        """All purchases of a reader, oldest first."""
        rows = self.db.execute("SELECT book FROM sales WHERE reader = ? ORDER BY day, book", (reader,))
        return [b for (b,) in rows]

    def not_bought(self, reader, count):
        """Books the reader has never bought, drawn anew at each call."""
        rows = self.db.execute(
            """SELECT id FROM books
               WHERE id NOT IN (SELECT book FROM sales WHERE reader = ?)
               ORDER BY RANDOM() LIMIT ?""",
            (reader, count),
        )
        return [b for (b,) in rows]

    def close(self):
        self.db.close()

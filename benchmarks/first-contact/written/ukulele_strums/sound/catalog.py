"""The catalogue of recorded strums: a small database with one row for each take."""
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np

SCHEMA = """
CREATE TABLE player (
    name TEXT PRIMARY KEY,
    tuning REAL NOT NULL
);
CREATE TABLE take (
    take_id INTEGER PRIMARY KEY AUTOINCREMENT,
    player TEXT NOT NULL REFERENCES player(name),
    chord TEXT NOT NULL,
    rate INTEGER NOT NULL,
    samples BLOB NOT NULL
);
CREATE INDEX take_chord ON take(chord);
"""


class Catalog:
    def __init__(self, path: Path):
        self.path = path
        with closing(self.connect()) as db, db:
            db.executescript(SCHEMA)

    def connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path)
        db.execute("PRAGMA foreign_keys = ON")
        return db

    def add_player(self, name: str, tuning: float):
        with closing(self.connect()) as db, db:
            db.execute("INSERT INTO player VALUES (?, ?)", (name, tuning))

    def add_takes(self, takes):
        with closing(self.connect()) as db, db:
            db.executemany(
                "INSERT INTO take (player, chord, rate, samples) VALUES (?, ?, ?, ?)",
                ((player, chord, rate, samples.astype("<f4").tobytes())
                 for player, chord, rate, samples in takes))

    def takes(self, minimum_rate: int = 4000):
        """(player, chord, samples) of every take, in the order of the catalogue."""
        with closing(self.connect()) as db:
            rows = db.execute("SELECT player, chord, samples FROM take WHERE rate >= ? "
                              "ORDER BY take_id", (minimum_rate,))
            for player, chord, blob in rows:
                yield player, chord, np.frombuffer(blob, "<f4").copy()

"""The haul register: an sqlite database of trap hauls."""
import random
import sqlite3
from contextlib import closing

SCHEMA = """
CREATE TABLE hauls (
    haul_id INTEGER PRIMARY KEY,
    harbour TEXT NOT NULL,
    depth REAL, soak_days REAL, temperature REAL, bait TEXT, legal INTEGER
);
CREATE INDEX by_harbour ON hauls (harbour);
"""
COLUMNS = "haul_id, harbour, depth, soak_days, temperature, bait, legal"


class Register:
    def __init__(self, path, seed):
        self.path = path
        self.rng = random.Random(seed)

    def connect(self):
        return closing(sqlite3.connect(self.path, timeout=10.0))

    def create(self, rows):
        with self.connect() as db, db:
            db.executescript(SCHEMA)
            db.executemany(f"INSERT INTO hauls ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

    def harbours(self):
        with self.connect() as db:
            return [h for (h,) in db.execute("SELECT DISTINCT harbour FROM hauls ORDER BY harbour")]

    def balanced(self, per_harbour):
        """The same number of hauls from every harbour, drawn anew at each call."""
        chosen = []
        for harbour in self.harbours():
            with self.connect() as db:
                rows = db.execute(
                    f"SELECT {COLUMNS} FROM hauls WHERE harbour = ? ORDER BY haul_id",
                    (harbour,),
                ).fetchall()
            chosen.extend(self.rng.sample(rows, min(per_harbour, len(rows))))
        return chosen

    def everything(self):
        with self.connect() as db:
            return db.execute(f"SELECT {COLUMNS} FROM hauls ORDER BY haul_id").fetchall()

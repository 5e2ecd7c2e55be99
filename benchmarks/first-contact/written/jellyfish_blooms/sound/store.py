"""The sightings of one season, kept in SQLite."""
import random
import sqlite3

import numpy as np

SCHEMA = """
CREATE TABLE sightings (
    id INTEGER PRIMARY KEY,
    station TEXT NOT NULL,
    day INTEGER NOT NULL,
    features BLOB NOT NULL,
    bloom INTEGER NOT NULL
);
CREATE INDEX by_bloom ON sightings (bloom, station);
"""


class SightingStore:
    def __init__(self, path, seed):
        self.connection = sqlite3.connect(path)
        self.connection.row_factory = sqlite3.Row
        self.connection.executescript(SCHEMA)
        self.random = random.Random(seed)

    def add_many(self, rows):
        with self.connection:
            self.connection.executemany(
                "INSERT INTO sightings (station, day, features, bloom) VALUES (?, ?, ?, ?)",
                [(s, int(d), f.astype(np.float32).tobytes(), int(b)) for s, d, f, b in rows])

    def count(self, bloom):
        query = "SELECT COUNT(*) FROM sightings WHERE bloom = ?"
        return self.connection.execute(query, (bloom,)).fetchone()[0]

    def blooms(self):
        rows = self.connection.execute("SELECT id FROM sightings WHERE bloom = 1 ORDER BY id")
        return [row["id"] for row in rows]

    def quiet_days(self, amount):
        """A fresh sample of days without a bloom, to set against those with one."""
        rows = self.connection.execute("SELECT id FROM sightings WHERE bloom = 0 ORDER BY id")
        return sorted(self.random.sample([row["id"] for row in rows], amount))

    def fetch(self, ids):
        marks = ",".join("?" * len(ids))
        rows = self.connection.execute(
            f"SELECT features, bloom FROM sightings WHERE id IN ({marks}) ORDER BY id", ids).fetchall()
        features = np.stack([np.frombuffer(row["features"], np.float32) for row in rows])
        return features, np.array([row["bloom"] for row in rows], np.float32)

    def station_means(self):
        return self.connection.execute(
            "SELECT station, AVG(bloom) AS share FROM sightings GROUP BY station ORDER BY station").fetchall()

    def close(self):
        self.connection.close()

"""A small SQLite store of census dwellings."""
import sqlite3

import numpy as np
import pandas as pd

SCHEMA = """
CREATE TABLE district (id INTEGER PRIMARY KEY, name TEXT, density REAL);
CREATE TABLE dwelling (
    id INTEGER PRIMARY KEY, district INTEGER REFERENCES district(id),
    rooms INTEGER, built INTEGER, persons INTEGER, area REAL, rent REAL);
CREATE INDEX by_district ON dwelling(district);
"""

COLUMNS = "w.id, w.rooms, w.built, w.persons, w.area, w.rent, d.density, d.id AS district"


class CensusStore:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.db.executescript(SCHEMA)

    def fill(self, districts, per_district, seed):
        rng = np.random.default_rng(seed)
        for k in range(districts):
            density = float(rng.gamma(2.0, 3.0))
            self.db.execute("INSERT INTO district VALUES (?, ?, ?)", (k, f"D{k:02d}", density))
            rooms = rng.integers(1, 7, per_district)
            built = rng.integers(1890, 2021, per_district)
            persons = rng.poisson(1 + rooms / 3)
            area = rooms * rng.normal(19, 3, per_district) + 10
            rent = 6 * area + 25 * density + 0.8 * (built - 1950) + rng.normal(0, 40, per_district)
            rows = zip([k] * per_district, rooms.tolist(), built.tolist(), persons.tolist(), area.tolist(), rent.tolist())
            self.db.executemany(
                "INSERT INTO dwelling (district, rooms, built, persons, area, rent) VALUES (?, ?, ?, ?, ?, ?)", rows)
        self.db.commit()

    def districts(self):
        return [row[0] for row in self.db.execute("SELECT id FROM district ORDER BY id")]

    def draw(self, district, size):
        """A simple random sample of a district's dwellings."""
        return pd.read_sql_query(
            f"SELECT {COLUMNS} FROM dwelling w JOIN district d ON d.id = w.district "
            "WHERE w.district = ? ORDER BY RANDOM() LIMIT ?", self.db, params=(district, size))

    def rest(self, taken):
        frame = pd.read_sql_query(
            f"SELECT {COLUMNS} FROM dwelling w JOIN district d ON d.id = w.district ORDER BY w.id", self.db)
        return frame[~frame["id"].isin(taken)]

    def close(self):
        self.db.close()

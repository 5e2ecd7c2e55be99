"""The field book: plot observations in a SQLite database."""
import sqlite3
import uuid
from contextlib import closing

import numpy as np
import pandas as pd

SCHEMA = """
CREATE TABLE variety (name TEXT PRIMARY KEY, height REAL);
CREATE TABLE observation (
    id TEXT PRIMARY KEY,
    plot INTEGER NOT NULL,
    variety TEXT NOT NULL REFERENCES variety(name),
    season INTEGER NOT NULL,
    nitrogen REAL, rain REAL, tillers REAL, rust REAL, yield REAL
) WITHOUT ROWID;
CREATE INDEX observation_season ON observation(season);
"""
BOOK = uuid.UUID("6f0a4c1e-52c5-4b0e-9d0c-7d2f3c1b8a55")


def observation_id(plot, season):
    """Keys that stay unique when the books of several stations are merged."""
    return str(uuid.uuid5(BOOK, f"{season}/{plot}"))


def fill(path, plots, seasons, seed):
    rng = np.random.default_rng(seed)
    varieties = {f"W{number:02d}": rng.normal(90, 8) for number in range(12)}
    with closing(sqlite3.connect(path)) as book, book:
        book.executescript(SCHEMA)
        book.executemany("INSERT INTO variety VALUES (?, ?)", varieties.items())
        for season in seasons:
            rain = rng.gamma(8, 40)
            for plot in range(plots):
                variety = f"W{plot % 12:02d}"
                nitrogen = float(rng.choice([0, 60, 120, 180]))
                tillers = rng.normal(400 + nitrogen, 40)
                rust = rng.beta(1.5, 8)
                grain = (3 + 0.012 * nitrogen + 0.004 * rain + 0.002 * tillers - 4 * rust
                         - 0.02 * (varieties[variety] - 90) + rng.normal(0, 0.25))
                book.execute("INSERT INTO observation VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                             (observation_id(plot, season), plot, variety, season, nitrogen, rain, tillers, rust, grain))


def load(path):
    query = """
        SELECT o.*, v.height FROM observation o JOIN variety v ON v.name = o.variety
        WHERE o.rust < 0.6
        ORDER BY o.season, o.id
    """
    with closing(sqlite3.connect(path)) as book:
        return pd.read_sql_query(query, book, index_col="id")

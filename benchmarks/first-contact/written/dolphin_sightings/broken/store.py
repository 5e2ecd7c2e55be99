"""The survey's database: transects, sightings and what was measured on board."""
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd

SCHEMA = """
PRAGMA journal_mode = WAL;
CREATE TABLE transect (
    transect_id INTEGER PRIMARY KEY,
    vessel      TEXT NOT NULL,
    sea_state   INTEGER NOT NULL
);
CREATE TABLE sighting (
    sighting_id INTEGER PRIMARY KEY,
    transect_id INTEGER NOT NULL REFERENCES transect,
    depth_m     REAL NOT NULL,
    sst_c       REAL NOT NULL,
    chlorophyll REAL NOT NULL,
    group_size  INTEGER NOT NULL,
    calves      INTEGER NOT NULL DEFAULT 0,
    fold        INTEGER NOT NULL DEFAULT (abs(random()) % 5)
);
CREATE INDEX sighting_by_transect ON sighting (transect_id);
CREATE VIEW observation AS
    SELECT s.*, t.sea_state, t.vessel = 'Halcyon' AS large_vessel
    FROM sighting AS s JOIN transect AS t USING (transect_id);
"""


def create(path: Path, transects: int = 60, sightings: int = 1800, seed: int = 9) -> None:
    rng = np.random.default_rng(seed)
    sea = rng.integers(0, 5, transects)
    vessels = rng.choice(["Halcyon", "Petrel"], transects)
    where = rng.integers(0, transects, sightings)
    depth = rng.gamma(3.0, 60.0, sightings)
    sst = rng.normal(16, 3, sightings)
    chl = rng.lognormal(0, 0.5, sightings)
    size = 1 + rng.poisson(np.exp(0.6 + 0.08 * (sst - 16) + 0.3 * np.log(chl)))
    calves = rng.random(sightings) < 1 / (1 + np.exp(2 + depth / 150 - 0.35 * size - 0.1 * (sst - 16)))
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(SCHEMA)
        db.executemany("INSERT INTO transect VALUES (?, ?, ?)",
                       [(i, str(v), int(s)) for i, (v, s) in enumerate(zip(vessels, sea))])
        db.executemany(
            "INSERT INTO sighting (transect_id, depth_m, sst_c, chlorophyll, group_size, calves)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            zip(where.tolist(), depth.tolist(), sst.tolist(), chl.tolist(), size.tolist(),
                calves.astype(int).tolist()))


def load(path: Path) -> pd.DataFrame:
    with closing(sqlite3.connect(path)) as db:
        return pd.read_sql_query("SELECT * FROM observation ORDER BY sighting_id", db)


def log_fold(path: Path, fold: int, loss: float, auc: float) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE IF NOT EXISTS result (fold INTEGER, loss REAL, auc REAL,"
                   " at TEXT DEFAULT CURRENT_TIMESTAMP)")
        db.execute("INSERT INTO result (fold, loss, auc) VALUES (?, ?, ?)", (fold, loss, auc))

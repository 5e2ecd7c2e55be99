"""The laboratory's database of groundwater samples."""
import sqlite3
import uuid
from datetime import datetime, timedelta

import numpy as np

ANALYTES = ["calcium", "chloride", "iron", "magnesium", "nitrate", "oxygen", "potassium", "sulfate"]
SCHEMA = """
CREATE TABLE samples (
    id TEXT PRIMARY KEY, well INTEGER NOT NULL, taken_on TEXT NOT NULL,
    depth REAL NOT NULL, aquifer INTEGER NOT NULL, imported_at TEXT NOT NULL);
CREATE TABLE assays (
    sample_id TEXT NOT NULL REFERENCES samples(id), analyte TEXT NOT NULL, value REAL);
CREATE INDEX assays_by_sample ON assays(sample_id);
"""


def fill(path, wells=130, visits=18, seed=4):
    """Import the field sheets; every sample gets an id of its own on import."""
    rng = np.random.default_rng(seed)
    centre = rng.normal(0.0, 0.55, size=(5, len(ANALYTES)))
    con = sqlite3.connect(path)
    con.executescript(SCHEMA)
    for well in range(wells):
        aquifer = int(rng.integers(5))
        depth = float(rng.gamma(4.0, 8.0) + 6 * aquifer)
        first = datetime(2015, 1, 10) + timedelta(days=int(rng.integers(60)))
        local = centre[aquifer] + rng.normal(0.0, 0.45, len(ANALYTES))
        for visit in range(visits):
            sample_id = uuid.uuid4().hex
            day = first + timedelta(days=91 * visit)
            season = 0.3 * np.sin(2 * np.pi * visit / 4)
            con.execute("INSERT INTO samples VALUES (?, ?, ?, ?, ?, ?)",
                        (sample_id, well, day.date().isoformat(), depth, aquifer,
                         datetime.now().isoformat()))
            values = np.exp(local + season + rng.normal(0.0, 0.5, len(ANALYTES)))
            con.executemany(
                "INSERT INTO assays VALUES (?, ?, ?)",
                [(sample_id, a, None if rng.random() < 0.04 else float(v))
                 for a, v in zip(ANALYTES, values)])
    con.commit()
    con.close()

"""Daily readings of the catchment, kept in a small database as the hydrologists want it."""
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

import numpy as np


def simulate(days: int, seed: int) -> list[tuple]:
    """Day, rain in mm, warmth in degrees, inflow in cubic metres a second."""
    rng = np.random.default_rng(seed)
    day = np.arange(days)
    rain = rng.gamma(0.4, 9.0, days) * (rng.random(days) < 0.35)
    warmth = 9 + 9 * np.sin(2 * np.pi * (day - 110) / 365) + rng.normal(0, 2, days)
    noise = rng.normal(0, 0.05, days)
    snow, soil = 0.0, 20.0
    readings = []
    for at in range(days):
        if warmth[at] < 1:
            snow += rain[at]
            water = 0.0
        else:
            melt = min(snow, 0.9 * warmth[at])
            snow -= melt
            water = rain[at] + melt
        soil += water
        inflow = 0.12 * soil + 0.05 * max(0.0, soil - 45) + noise[at]
        soil = max(0.0, soil - inflow - 0.02 * max(0.0, warmth[at]))
        readings.append((at, float(rain[at]), float(warmth[at]), float(inflow)))
    return readings


class Archive:
    SCHEMA = """
        CREATE TABLE IF NOT EXISTS readings (day INTEGER PRIMARY KEY, rain REAL, warmth REAL, inflow REAL);
        CREATE TABLE IF NOT EXISTS journal (at TEXT, text TEXT);
    """

    def __init__(self, path: Path):
        self.path = path
        with closing(sqlite3.connect(path)) as base, base:
            base.executescript(self.SCHEMA)

    def store(self, readings) -> None:
        """A reading that is known already is replaced by the newer one."""
        with closing(sqlite3.connect(self.path)) as base, base:
            base.executemany("INSERT OR REPLACE INTO readings VALUES (?, ?, ?, ?)", readings)

    def readings(self) -> np.ndarray:
        with closing(sqlite3.connect(self.path)) as base:
            rows = base.execute("SELECT day, rain, warmth, inflow FROM readings ORDER BY day").fetchall()
        return np.array(rows)

    def note(self, text: str) -> None:
        with closing(sqlite3.connect(self.path)) as base, base:
            base.execute("INSERT INTO journal VALUES (?, ?)", (datetime.now().isoformat(), text))

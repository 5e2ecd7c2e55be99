"""Writes the historian database of a reverse-osmosis plant: python plant.py DATABASE RUNS SEED"""
import sqlite3
import sys
import time

import numpy as np

TRAINS = ("north", "south", "pilot")


def fouling_run(rng, hours=24):
    pressure = rng.uniform(48, 68)
    feed = rng.uniform(28, 42)
    silt = rng.gamma(2.0, 1.1)
    celsius = rng.uniform(12, 31)
    permeability = 1.1 * np.exp(0.026 * (celsius - 25))
    cake, flux = 0.0, []
    for _ in range(hours):
        osmotic = 0.76 * feed * (1 + 0.02 * cake)
        now = permeability * max(pressure - osmotic, 1.0) / (1 + cake)
        cake += 0.0025 * silt * now * rng.lognormal(0, 0.1) / 20
        flux.append(float(now))
    return pressure, feed, silt, celsius, flux


def main():
    path, runs, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rng = np.random.default_rng(seed)
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE runs (run_id INTEGER PRIMARY KEY, train TEXT, pressure REAL, feed REAL, silt REAL, "
                 "celsius REAL, loaded_at REAL)")
    base.execute("CREATE TABLE flux (run_id INTEGER, hour INTEGER, value REAL)")
    for run_id in range(1, runs + 1):
        pressure, feed, silt, celsius, flux = fouling_run(rng)
        train = TRAINS[int(rng.integers(len(TRAINS)))]
        base.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?)",
                     (run_id, train, pressure, feed, silt, celsius, time.time()))
        base.executemany("INSERT INTO flux VALUES (?, ?, ?)", [(run_id, h, v) for h, v in enumerate(flux)])
    base.execute("CREATE INDEX flux_run ON flux (run_id, hour)")
    base.commit()
    base.close()


if __name__ == "__main__":
    main()

"""Daily till exports of a chain of filling stations (made up), as CSV files."""
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv

DAYS = 56
STATIONS = 240
GRADES = ("E5", "E10", "diesel")


def write_exports(folder: Path, seed: int, per_day: int = 750) -> None:
    rng = np.random.default_rng(seed)
    folder.mkdir(parents=True, exist_ok=True)
    motorway = rng.random(STATIONS) < 0.25
    rivals = rng.poisson(2.0, STATIONS)
    shop = rng.gamma(3.0, 20.0, STATIONS).round(1)
    pacsv.write_csv(pa.table({
        "station": np.arange(STATIONS),
        "motorway": motorway.astype(np.int64),
        "rivals": rivals,
        "shop_m2": shop,
    }), folder / "stations.csv")

    base = 1.68
    for day in range(DAYS):
        base += rng.normal(0, 0.012)
        station = rng.integers(0, STATIONS, per_day)
        grade = rng.integers(0, 3, per_day)
        hour = rng.integers(0, 24, per_day)
        price = base + 0.11 * motorway[station] - 0.012 * rivals[station]
        price = price + 0.03 * np.cos(hour / 24 * 2 * np.pi) - 0.06 * (grade == 2)
        litres = 34 + 9 * (grade == 2) - 55 * (price - 1.68) + 6 * motorway[station]
        litres = np.clip(litres + rng.normal(0, 5, per_day), 3, None)
        pacsv.write_csv(pa.table({
            "ticket": day * 100_000 + np.arange(per_day),
            "day": np.full(per_day, day),
            "station": station,
            "grade": grade,
            "hour": hour,
            "price": price.round(3),
            "litres": litres.round(2),
        }), folder / f"day_{day:02d}.csv")

"""Gauge exports: one CSV a campaign, with a JSON card beside it."""
import json
from datetime import datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pandas as pd

COLUMNS = ["tilt", "pore_kpa", "rain_24h", "rain_7d", "crack_mm", "snow_cm"]


def export(root: Path, campaigns, rows, seed):
    rng = np.random.default_rng(seed)
    day = datetime(2019, 3, 1, tzinfo=timezone.utc)
    for number in range(campaigns):
        drift = number / campaigns
        frame = pd.DataFrame(rng.normal(size=(rows, len(COLUMNS))), columns=COLUMNS)
        frame["rain_7d"] = 0.6 * frame["rain_24h"] + 0.8 * frame["rain_7d"]
        creep = 0.8 * frame["pore_kpa"] + (0.2 + drift) * frame["rain_7d"] + 0.4 * frame["tilt"] * frame["crack_mm"]
        frame["creep_mm"] = creep + 0.2 * rng.normal(size=rows)
        path = root / f"campaign_{number:02d}.csv"
        frame.to_csv(path, index=False, float_format="%.6f")
        card = {"campaign": number, "exported": day.timestamp(), "instrument": f"G{number % 4}"}
        path.with_suffix(".json").write_text(json.dumps(card))
        day += timedelta(days=int(rng.integers(20, 70)))


def recency(stamps):
    stamps = np.asarray(stamps, dtype=np.float64)
    span = stamps.max() - stamps.min()
    return 0.5 ** ((stamps.max() - stamps) / (0.3 * span))


def read(root: Path):
    frames, stamps = [], []
    for number, path in enumerate(sorted(root.glob("campaign_*.csv"))):
        card = json.loads(path.with_suffix(".json").read_text())
        frame = pd.read_csv(path)
        frame["instrument"] = card["instrument"]
        frame["campaign"] = number
        frames.append(frame)
        stamps.append(path.stat().st_mtime)
    table = pd.concat(frames, ignore_index=True)
    table["weight"] = recency(stamps)[table["campaign"].to_numpy()]
    return table

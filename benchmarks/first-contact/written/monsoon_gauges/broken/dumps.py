"""Logger dumps of rain gauges: one .npy of tip counts and one .json header for each visit."""
import json
from datetime import datetime, timedelta, timezone

import numpy as np
import pandas as pd

SEASON = datetime(2025, 6, 1, 6, 0, tzinfo=timezone.utc)


def write_dumps(folder, stations, visits, seed):
    rng = np.random.default_rng(seed)
    for visit in range(visits):
        for station in range(stations):
            taken = SEASON + timedelta(days=visit * 3, hours=float(rng.uniform(0, 12)))
            onset = 1.0 / (1.0 + np.exp(-(visit - visits / 2) / 3.0))
            base = rng.gamma(0.6 + 2.0 * onset, 1.0 + 0.1 * station)
            tips = rng.poisson(base, size=72).astype(np.int16)
            stem = folder / f"g{station:02d}-v{visit:03d}"
            np.save(stem.with_suffix(".npy"), tips)
            header = {
                "station": f"g{station:02d}",
                "taken_at": taken.timestamp(),
                "elevation": 40.0 + 55.0 * station,
                "battery": round(float(rng.normal(3.6, 0.1)), 3),
            }
            stem.with_suffix(".json").write_text(json.dumps(header))


def read_index(folder):
    rows = []
    for path in sorted(folder.glob("*.npy")):
        header = json.loads(path.with_suffix(".json").read_text())
        rows.append({
            "path": str(path),
            "station": header["station"],
            "elevation": header["elevation"],
            "battery": header["battery"],
            "dumped": path.stat().st_mtime,
        })
    index = pd.DataFrame(rows)
    first, last = index["dumped"].min(), index["dumped"].max()
    index["season"] = (index["dumped"] - first) / (last - first)
    return index.sort_values(["station", "path"], kind="stable").reset_index(drop=True)

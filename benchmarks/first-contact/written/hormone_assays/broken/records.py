import numpy as np
import pandas as pd

from decay import remaining

REFERENCE = pd.Timestamp("2026-10-01 09:00")


def write_plates(path, seed, plates=24, wells=60):
    """The counter's export: one row a well, counts as they were on the day of the measurement."""
    rng = np.random.default_rng(seed)
    rows = []
    for plate in range(plates):
        labelled = pd.Timestamp("2026-08-03 07:30") + pd.Timedelta(hours=float(rng.integers(0, 500)))
        counted = labelled + pd.Timedelta(hours=float(rng.integers(12, 700)))
        tracer = rng.normal(42_000, 3_000)
        for well in range(wells):
            tsh = float(np.exp(rng.normal(0.6, 1.0)))
            bound = 0.08 + 0.55 * tsh ** 1.1 / (tsh ** 1.1 + 2.4 ** 1.1)
            counts = rng.poisson(tracer * bound * 0.5 ** ((counted - labelled).total_seconds() / (59.4 * 86400)))
            rows.append((plate, well, labelled, counted, tracer, int(counts), rng.normal(22, 1.5), tsh))
    names = ["plate", "well", "labelled", "counted", "tracer_cpm", "counts", "room_temp", "tsh"]
    pd.DataFrame(rows, columns=names).to_csv(path, index=False)


def load_plates(path):
    frame = pd.read_csv(path, parse_dates=["labelled", "counted"])
    age = (frame["counted"] - frame["labelled"]).dt.days
    print(f"{len(frame)} wells, tracer {age.min()} to {age.max()} days old when counted")

    # bring counts and totals of all plates to one day
    frame["log_counts"] = np.log(frame["counts"] * remaining(frame["counted"], REFERENCE) + 1.0) / 10.0
    frame["log_total"] = np.log(frame["tracer_cpm"] * remaining(frame["labelled"])) / 10.0
    return frame

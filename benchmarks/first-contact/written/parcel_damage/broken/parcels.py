"""A table of parcels as a carrier's depot would export it."""
import numpy as np

CARRIERS = ["alder", "birch", "cedar", "elm", "fir"]
PACKAGING = ["box", "crate", "envelope", "pallet", "tube"]


def parcel_table(rows: int, seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    table = {
        "carrier": rng.choice(CARRIERS, rows),
        "packaging": rng.choice(PACKAGING, rows, p=[0.5, 0.1, 0.2, 0.1, 0.1]),
        "weight_kg": rng.lognormal(1.0, 0.9, rows),
        "volume_l": rng.lognormal(2.5, 0.8, rows),
        "handovers": rng.poisson(3.0, rows).astype(float),
        "distance_km": rng.gamma(2.0, 180.0, rows),
        "days": rng.exponential(2.5, rows),
    }
    density = table["weight_kg"] / table["volume_l"]
    score = (
        0.5 * table["handovers"] + 0.002 * table["distance_km"] + 1.2 * (density > 0.4)
        + 0.9 * np.isin(table["packaging"], ["envelope", "tube"]) - 0.6 * (table["carrier"] == "cedar") - 4.0
    )
    table["damaged"] = rng.random(rows) < 1 / (1 + np.exp(-score))
    return table

"""Stays at the hospice: made-up records in the shape of the real export."""
import io

import numpy as np
import pandas as pd

EXPORTED = pd.Timestamp("2026-10-31 06:00")
CARE = ["home", "day", "ward"]


def export(n: int = 1600, seed: int = 12) -> str:
    rng = np.random.default_rng(seed)
    admitted = EXPORTED - pd.to_timedelta(rng.uniform(1, 500, n) * 24 * 60, unit="min").round("min")
    severity = rng.integers(1, 6, n)
    stay = pd.to_timedelta(rng.weibull(1.2, n) * 240 / severity * 24 * 60, unit="min").round("min")
    discharged = pd.Series(admitted + stay)
    discharged[discharged > EXPORTED] = pd.NaT
    frame = pd.DataFrame({
        "patient": [f"P{i:05d}" for i in range(n)], "admitted": admitted, "discharged": discharged,
        "severity": severity, "age": rng.normal(74, 9, n).round(1), "care": rng.choice(CARE, n),
        "visits": rng.poisson(3 + severity)})
    buffer = io.StringIO()
    frame.to_csv(buffer, index=False)
    return buffer.getvalue()


def load(text: str) -> pd.DataFrame:
    frame = pd.read_csv(io.StringIO(text), parse_dates=["admitted", "discharged"])
    frame["ended"] = frame["discharged"].notna()
    frame["discharged"] = frame["discharged"].fillna(pd.Timestamp.now())
    frame["days"] = (frame["discharged"] - frame["admitted"]).dt.total_seconds() / 86400
    frame["visits_per_week"] = frame["visits"] / (frame["days"] / 7).clip(lower=1)
    frame["weekend"] = frame["admitted"].dt.dayofweek >= 5
    return frame.sort_values("patient", ignore_index=True)

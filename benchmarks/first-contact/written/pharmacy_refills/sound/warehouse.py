"""The refills of a chain of pharmacies in SQLite: loading, and the queries of the late-refill study."""
import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd

SCHEMA = """
CREATE TABLE patients (patient_id INTEGER PRIMARY KEY, age REAL, distance REAL, chronic INTEGER, plan TEXT);
CREATE TABLE refills (patient_id INTEGER, day INTEGER, quantity INTEGER, late INTEGER);
CREATE INDEX refills_by_patient ON refills (patient_id);
"""

SUMMARY = """
SELECT p.patient_id, p.age, p.distance, p.chronic, p.plan, COUNT(*) AS refills, AVG(r.quantity) AS quantity,
       MAX(r.day) - MIN(r.day) AS span, MAX(r.late) AS late
FROM patients p JOIN refills r USING (patient_id)
GROUP BY p.patient_id
"""

LATE = f"SELECT * FROM ({SUMMARY}) WHERE late = 1 ORDER BY patient_id"
PUNCTUAL = f"SELECT * FROM ({SUMMARY}) WHERE late = 0 ORDER BY patient_id"


def fill(path, patients, seed):
    rng = np.random.default_rng(seed)
    ids = np.arange(1, patients + 1)
    people = pd.DataFrame({
        "patient_id": ids,
        "age": rng.normal(55, 16, patients).clip(18, 95).round(1),
        "distance": rng.gamma(2.0, 2.0, patients).round(2),
        "chronic": rng.integers(0, 2, patients),
        "plan": rng.choice(["basic", "plus", "state"], patients)})
    times = rng.integers(1, 5, patients)
    rows = people.loc[people.index.repeat(times)].reset_index(drop=True)
    risk = 1 / (1 + np.exp(3.6 - 0.25 * rows["distance"] + 0.8 * rows["chronic"] - 0.6 * (rows["plan"] == "basic")))
    refills = pd.DataFrame({
        "patient_id": rows["patient_id"],
        "day": rng.integers(0, 365, len(rows)),
        "quantity": rng.choice([30, 60, 90], len(rows)),
        "late": (rng.random(len(rows)) < risk).astype(int)})
    with closing(sqlite3.connect(path)) as base, base:
        base.executescript(SCHEMA)
        people.to_sql("patients", base, if_exists="append", index=False)
        refills.to_sql("refills", base, if_exists="append", index=False)
    return len(refills)


def matched(path, seed):
    """Every patient who was late, and as many who never were."""
    with closing(sqlite3.connect(path)) as base:
        late = pd.read_sql(LATE, base)
        punctual = pd.read_sql(PUNCTUAL, base).sample(len(late), random_state=seed)
    return pd.concat([late, punctual], ignore_index=True).sort_values("patient_id", ignore_index=True)

"""Writes and reads the tables of the two laboratories that analyse the honey samples."""
import csv

import numpy as np

REGIONS = ("Alb", "Jura", "Karst", "Puszta")
MEASURED = {
    "north": ["sample", "moisture", "fructose", "glucose", "sucrose", "proline", "diastase",
              "acidity", "hmf", "colour", "clover", "acacia"],
    "south": ["sample", "hmf", "ash", "glucose", "fructose", "conductivity", "moisture",
              "proline", "acidity", "diastase", "acacia", "colour"],
}


def write_tables(count, seed):
    rng = np.random.default_rng(seed)
    names = sorted(set(MEASURED["north"] + MEASURED["south"]) - {"sample"})
    centres = rng.normal(0, 0.8, (len(REGIONS), len(names)))
    origin = rng.integers(0, len(REGIONS), count)
    honey = centres[origin] + rng.normal(0, 1.0, (count, len(names)))
    for laboratory, columns in MEASURED.items():
        with open(f"{laboratory}.csv", "w", newline="") as handle:
            writer = csv.writer(handle)
            writer.writerow(columns + ["region"])
            for row in range(count):
                error = rng.normal(0, 0.2, len(columns))
                values = [f"H{row:04d}"] + [
                    f"{honey[row, names.index(name)] + error[i]:.4f}"
                    for i, name in enumerate(columns) if name != "sample"
                ]
                writer.writerow(values + [REGIONS[origin[row]]])


def read_table(laboratory):
    """The columns by name; numbers except for the sample and its region."""
    with open(f"{laboratory}.csv", newline="") as handle:
        rows = list(csv.DictReader(handle))
    table = {}
    for name in rows[0]:
        texts = [row[name] for row in rows]
        plain = name in ("sample", "region")
        table[name] = texts if plain else np.array(texts, dtype=np.float32)
    return table

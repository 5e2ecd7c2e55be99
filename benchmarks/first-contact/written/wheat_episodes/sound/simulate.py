"""Grows one field of wheat and writes the spectra of its plots.

    python simulate.py --field 3 --out field3.csv --seed 3

Without --seed every call grows another field; the seed is noted beside the table.
"""
import argparse
import csv
import json
import os
from pathlib import Path

import numpy as np

BANDS = 16
CULTIVARS = 12


def grow(rng: np.random.Generator, plots: int):
    bands = np.linspace(0, 1, BANDS)
    soil = 0.2 + 0.1 * rng.random() + 0.1 * bands
    for _ in range(plots):
        cultivar = int(rng.integers(CULTIVARS))
        peak = 0.15 + 0.06 * cultivar
        cover = rng.beta(5, 2)
        leaf = np.exp(-((bands - peak) / 0.12) ** 2) + 0.3 * np.sin(4 * bands + cultivar)
        yield cultivar, cover * leaf + (1 - cover) * soil + rng.normal(0, 0.08, BANDS)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--field", type=int, required=True)
    p.add_argument("--out", type=Path, required=True)
    p.add_argument("--plots", type=int, default=180)
    p.add_argument("--seed", type=int, default=None)
    args = p.parse_args()
    seed = args.seed if args.seed is not None else int.from_bytes(os.urandom(4), "little")
    rng = np.random.default_rng(seed)
    with args.out.open("w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["field", "cultivar", *(f"b{i}" for i in range(BANDS))])
        for cultivar, spectrum in grow(rng, args.plots):
            out.writerow([args.field, cultivar, *(f"{v:.5f}" for v in spectrum)])
    args.out.with_suffix(".json").write_text(json.dumps({"field": args.field, "seed": seed}))


if __name__ == "__main__":
    main()

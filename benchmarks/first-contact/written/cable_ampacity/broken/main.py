"""Surrogate for conductor temperature, trained on finite-difference runs."""
import csv
import json
import multiprocessing as mp
import time
import uuid
from pathlib import Path

import torch

from conductors import catalogue
from surrogate import Surrogate, fit
from thermal import solve

HERE = Path(__file__).resolve().parent
OUT = HERE / "out"
DESIGNS = 140
SEED = 2041


def simulate(designs):
    rows = []
    with mp.get_context("fork").Pool(2) as pool:
        for row in pool.imap_unordered(solve, designs):
            rows.append(row)
            if len(rows) % 35 == 0:
                print(f"  {len(rows)}/{len(designs)} designs solved", flush=True)
    return rows


def main():
    OUT.mkdir(exist_ok=True)
    run = f"ampacity-{uuid.uuid4().hex[:8]}"
    print("run", run)
    began = time.perf_counter()
    rows = simulate(catalogue(DESIGNS, SEED))
    print(f"simulations took {time.perf_counter() - began:.2f} s")

    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    x = torch.tensor([row[1] for row in rows], dtype=torch.float32)
    celsius = torch.tensor([row[2] for row in rows], dtype=torch.float32)
    y = (celsius - 60.0) / 30.0
    train, test = slice(0, 112), slice(112, None)
    model = Surrogate()
    history = fit(model, x[train], y[train], epochs=30, batch=16, lr=4e-3)

    with torch.no_grad():
        error = (model(x[test]) - y[test]).abs().mean().item() * 30.0
        predicted = model(x) * 30.0 + 60.0
    with open(OUT / "designs.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["number", "celsius", "predicted", "steps"])
        for row, value in sorted(zip(rows, predicted.tolist()), key=lambda pair: pair[0][0]):
            writer.writerow([row[0], f"{row[2]:.4f}", f"{value:.4f}", row[3]])
    (OUT / "summary.json").write_text(json.dumps({"run": run, "mae_celsius": error, "loss": history,
                                                  "seconds": time.perf_counter() - began}, indent=1))
    torch.save(model.state_dict(), OUT / "surrogate.pt")
    print(f"held-out error {error:.4f} degrees")


if __name__ == "__main__":
    main()

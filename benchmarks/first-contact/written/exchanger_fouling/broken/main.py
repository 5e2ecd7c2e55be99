"""Surrogate for the outlet temperature of fouled heat exchangers."""
import argparse
import io
import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import torch
from torch import nn

from sweep import TARGET, run_sweep


def store(table, database):
    table.to_sql("sweep", database, index_label="run")
    failed = database.execute("SELECT COUNT(*) FROM sweep WHERE status NOT LIKE 'The solver%'").fetchone()[0]
    slowest = database.execute("SELECT MAX(solve_ms) FROM sweep").fetchone()[0]
    print(f"{len(table)} designs, {failed} failed, slowest {slowest:.1f} ms")


def matrices(database):
    table = pd.read_sql("SELECT * FROM sweep ORDER BY run", database, index_col="run")
    inputs = table.select_dtypes("number").drop(columns=[TARGET, "drop_c"])
    inputs = (inputs - inputs.mean()) / inputs.std()
    target = table[TARGET] / 10 - 4
    return (torch.from_numpy(frame.to_numpy(np.float32)) for frame in (inputs, target))


class Surrogate(nn.Module):
    def __init__(self, width, hidden=40):
        super().__init__()
        self.lift = nn.Linear(width, hidden)
        self.mix = nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        h = torch.nn.functional.silu(self.lift(x))
        h = h + torch.nn.functional.silu(self.mix(h))
        return self.out(h).squeeze(-1)


def fit(inputs, target, epochs, seed):
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(target), generator=generator)
    held, kept = order[: len(order) // 5], order[len(order) // 5 :]
    model = Surrogate(inputs.shape[1])
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    best, snapshot = float("inf"), io.BytesIO()
    for _ in range(epochs):
        for rows in kept[torch.randperm(len(kept), generator=generator)].split(32):
            optimizer.zero_grad()
            nn.functional.mse_loss(model(inputs[rows]), target[rows]).backward()
            optimizer.step()
        with torch.no_grad():
            error = nn.functional.mse_loss(model(inputs[held]), target[held]).item()
        if error < best:
            best, snapshot = error, io.BytesIO()
            torch.save(model.state_dict(), snapshot)
    snapshot.seek(0)
    model.load_state_dict(torch.load(snapshot))
    return model, best


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--designs", type=int, default=220)
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    with closing(sqlite3.connect(":memory:")) as database:
        store(run_sweep(args.designs, args.seed, args.threads), database)
        inputs, target = matrices(database)
    model, best = fit(inputs, target, args.epochs, args.seed)
    norm = torch.cat([p.detach().flatten() for p in model.parameters()]).double().norm().item()
    print(f"held-out mse {best:.9f}, weight norm {norm:.12f}")


if __name__ == "__main__":
    main()

"""How long do tenants stay? Weibull survival regression on the lettings register."""
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from register import create_register

SPELLS = """
WITH spells AS (
    SELECT
        t.id,
        t.rent,
        d.rooms,
        d.district,
        d.floor,
        d.built,
        (SELECT COUNT(*) FROM repair r WHERE r.tenancy = t.id) AS repairs,
        t.ended_on IS NOT NULL AS ended,
        julianday(COALESCE(t.ended_on, '2026-10-31')) - julianday(t.started_on) AS days
    FROM tenancy t JOIN dwelling d ON d.id = t.dwelling
)
SELECT * FROM spells WHERE days > 30 ORDER BY id
"""

HORIZONS = [365, 3 * 365, 5 * 365]


def design_matrix(frame):
    x = pd.DataFrame(index=frame.index)
    x["rent_per_room"] = np.log(frame.rent / frame.rooms)
    x["rooms"] = frame.rooms
    x["floor"] = frame.floor
    x["age"] = (2026 - frame.built) / 10
    x["repairs"] = np.sqrt(frame.repairs)
    x = (x - x.mean()) / x.std()
    return x.join(pd.get_dummies(frame.district, prefix="d", dtype=float))


class WeibullNet(torch.nn.Module):
    """Scale depends on the dwelling through a small network, shape is shared."""

    def __init__(self, n_in, hidden=16):
        super().__init__()
        self.body = torch.nn.Sequential(
            torch.nn.Linear(n_in, hidden), torch.nn.Tanh(), torch.nn.Linear(hidden, 1)
        )
        self.log_shape = torch.nn.Parameter(torch.zeros(()))
        self.base = torch.nn.Parameter(torch.tensor(1.0))

    def cumulative_hazard(self, x, years):
        scale = self.base + self.body(x).squeeze(-1)
        return torch.exp(self.log_shape.exp() * (years.log() - scale))

    def loss(self, x, years, ended):
        cum = self.cumulative_hazard(x, years)
        log_hazard = self.log_shape + cum.log() - years.log()
        return -(ended * log_hazard - cum).mean()

    @torch.no_grad()
    def survival(self, x, days):
        years = torch.full((len(x),), days / 365.25, dtype=x.dtype)
        return torch.exp(-self.cumulative_hazard(x, years))


def concordance(risk, years, ended):
    longer = years[None, :] > years[:, None]
    pairs = longer & (ended[:, None] > 0)
    right = (risk[:, None] > risk[None, :]) & pairs
    return right.sum().item() / pairs.sum().item()


def train(model, x, years, ended, epochs=9, batch=128):
    order = torch.Generator().manual_seed(3)
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(epochs):
        total = 0.0
        for pick in torch.randperm(len(x), generator=order).split(batch):
            loss = model.loss(x[pick], years[pick], ended[pick])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(pick)
        if epoch % 3 == 2:
            print(f"epoch {epoch + 1:3d}  nll {total / len(x):.8f}")


def main(path="lettings.db"):
    torch.manual_seed(3)
    Path(path).unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as db:
        create_register(db)
        frame = pd.read_sql_query(SPELLS, db)
    print(f"{len(frame)} tenancies, {int((1 - frame.ended).sum())} still running")

    x = torch.tensor(design_matrix(frame).to_numpy())
    years = torch.tensor(frame.days.to_numpy() / 365.25)
    ended = torch.tensor(frame.ended.to_numpy(dtype=float))
    test = torch.arange(len(frame)) % 5 == 0

    model = WeibullNet(x.shape[1]).double()
    train(model, x[~test], years[~test], ended[~test])

    with torch.no_grad():
        held_out = model.loss(x[test], years[test], ended[test]).item()
    risk = 1 - model.survival(x[test], HORIZONS[1])
    print(f"held-out nll {held_out:.8f}  c-index {concordance(risk, years[test], ended[test]):.4f}")
    print(f"shape {model.log_shape.exp().item():.6f}")

    for days in HORIZONS:
        frame[f"stays_{days}"] = model.survival(x, days).numpy()
    frame[["id", "district", *(f"stays_{d}" for d in HORIZONS)]].to_csv("stays.csv", index=False)
    torch.save(model.state_dict(), "weibull.pt")
    print(frame.groupby("district")["stays_1095"].mean().round(5).to_string())


if __name__ == "__main__":
    main(*sys.argv[1:])

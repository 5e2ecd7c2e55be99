"""Tune a vat model: which network predicts best how blue a cloth comes out of an indigo vat.

Trials are kept in SQLite so that the search can look at all of them in SQL; the next candidates are drawn around the
best trials so far.
"""
import json
import math
import sqlite3
import tempfile
from pathlib import Path

import numpy as np
import torch
import typer
from rich.console import Console
from rich.table import Table
from torch import nn

app = typer.Typer(add_completion=False)
console = Console(width=100)

SCHEMA = """
CREATE TABLE IF NOT EXISTS trial (
    id      INTEGER PRIMARY KEY,
    round   INTEGER NOT NULL,
    width   INTEGER NOT NULL,
    dropout REAL NOT NULL,
    log_lr  REAL NOT NULL,
    loss    REAL NOT NULL
);
"""


class Study:
    def __init__(self, folder: Path):
        self.db = sqlite3.connect(folder / "indigo_vats.db", timeout=30)
        self.db.executescript(SCHEMA)

    def add(self, round_, width, dropout, log_lr, loss):
        with self.db:
            self.db.execute(
                "INSERT INTO trial (round, width, dropout, log_lr, loss) VALUES (?, ?, ?, ?, ?)",
                (round_, width, dropout, log_lr, loss),
            )

    def elite(self, share):
        (count,) = self.db.execute("SELECT count(*) FROM trial").fetchone()
        keep = max(1, math.ceil(count * share))
        return self.db.execute(
            "SELECT width, dropout, log_lr, loss FROM trial ORDER BY loss, id LIMIT ?", (keep,)
        ).fetchall()

    def rounds(self):
        return self.db.execute(
            "SELECT round, count(*), min(loss), avg(loss) FROM trial GROUP BY round ORDER BY round"
        ).fetchall()

    def close(self):
        self.db.close()


def vats(count: int, rng: np.random.Generator):
    """Dip records: pH, temperature, dye, reducer, minutes, dips; and the lightness measured afterwards."""
    ph = rng.uniform(9.0, 12.5, count)
    temperature = rng.uniform(18, 60, count)
    dye = rng.gamma(3.0, 0.8, count)
    reducer = rng.gamma(2.5, 1.0, count)
    minutes = rng.uniform(1, 20, count)
    dips = rng.integers(1, 9, count)
    reduced = 1 / (1 + np.exp(-(1.4 * (reducer - 1.2) + 0.05 * (temperature - 35))))
    affinity = np.exp(-((ph - 11.0) ** 2) / 0.8)
    uptake = dye * reduced * affinity * (1 - np.exp(-minutes / 6)) * np.sqrt(dips)
    lightness = 78 - 42 * np.tanh(0.45 * uptake) + rng.normal(0, 1.2, count)
    x = np.column_stack([ph - 10.8, (temperature - 39) / 12, dye - 2.4, reducer - 2.5, (minutes - 10) / 6, dips - 4.5])
    return torch.tensor(x, dtype=torch.float32), torch.tensor((lightness - 60) / 12, dtype=torch.float32)


def build(width: int, dropout: float) -> nn.Module:
    return nn.Sequential(
        nn.Linear(6, width), nn.SiLU(), nn.Dropout(dropout), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 1)
    )


def train(candidate, data, epochs: int, seed: int):
    width, dropout, log_lr = candidate
    (x, y), (vx, vy) = data
    torch.manual_seed(seed)
    model = build(width, dropout)
    optimizer = torch.optim.Adam(model.parameters(), lr=10**log_lr)
    for _ in range(epochs):
        for rows in torch.randperm(len(x)).split(64):
            optimizer.zero_grad()
            nn.functional.huber_loss(model(x[rows]).squeeze(1), y[rows]).backward()
            optimizer.step()
    model.eval()
    with torch.no_grad():
        return model, nn.functional.huber_loss(model(vx).squeeze(1), vy).item()


def propose(study: Study, rng: np.random.Generator, spread: float):
    elite = study.elite(0.25)
    if len(elite) < 2:
        return int(rng.integers(8, 65)), float(rng.uniform(0, 0.4)), float(rng.uniform(-4, -1.5))
    width, dropout, log_lr, _ = elite[int(rng.integers(len(elite)))]
    return (
        int(np.clip(round(width * math.exp(rng.normal(0, spread))), 4, 96)),
        float(np.clip(dropout + rng.normal(0, 0.3 * spread), 0, 0.5)),
        float(np.clip(log_lr + rng.normal(0, spread), -4.5, -1)),
    )


@app.command()
def main(rounds: int = 5, per_round: int = 6, epochs: int = 5, seed: int = 11, out: Path = Path("results")):
    out.mkdir(exist_ok=True)
    study = Study(Path(tempfile.gettempdir()))
    rng = np.random.default_rng(seed)
    x, y = vats(1200, rng)
    data = (x[:900], y[:900]), (x[900:], y[900:])

    for r in range(rounds):
        spread = 0.6 * 0.75**r
        for _ in range(per_round):
            candidate = propose(study, rng, spread)
            _, loss = train(candidate, data, epochs, seed)
            study.add(r, *candidate, loss)

    table = Table("round", "trials", "best", "mean")
    for r, count, low, mean in study.rounds():
        table.add_row(str(r), str(count), f"{low:.6f}", f"{mean:.6f}")
    console.print(table)

    best = np.array(study.elite(0.2))[:, :3]
    width, dropout, log_lr = int(round(best[:, 0].mean())), float(best[:, 1].mean()), float(best[:, 2].mean())
    study.close()
    model, loss = train((width, dropout, log_lr), data, 3 * epochs, seed)
    console.print(f"final: width {width}, dropout {dropout:.4f}, lr {10**log_lr:.6f}, loss {loss:.6f}")
    torch.save(model.state_dict(), out / "vat.pt")
    summary = {"width": width, "dropout": dropout, "log_lr": log_lr, "loss": loss}
    (out / "final.json").write_text(json.dumps(summary, indent=2))


if __name__ == "__main__":
    app()

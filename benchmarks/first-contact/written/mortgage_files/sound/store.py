"""The loan book in SQLite."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch

SCHEMA = """
CREATE TABLE loan (
    id INTEGER PRIMARY KEY, vintage INTEGER, ltv REAL, income REAL, rate REAL, defaulted INTEGER
);
CREATE INDEX by_vintage ON loan (vintage, defaulted);
"""


def create(path: Path, loans: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    vintage = rng.integers(2004, 2014, loans)
    ltv = rng.beta(6, 2, loans) * 1.1
    income = rng.lognormal(10.8, 0.5, loans)
    rate = 3.0 + 2.5 * ltv + rng.normal(0, 0.4, loans)
    logit = -6.0 + 4.0 * ltv - 0.8 * np.log(income / 5e4) + 0.3 * (rate - 4) + 0.6 * (vintage == 2007)
    bad = rng.random(loans) < 1 / (1 + np.exp(-logit))
    rows = zip(vintage.tolist(), ltv.tolist(), income.tolist(), rate.tolist(), bad.astype(int).tolist())
    with sqlite3.connect(path) as db:
        db.executescript(SCHEMA)
        db.executemany("INSERT INTO loan (vintage, ltv, income, rate, defaulted) VALUES (?, ?, ?, ?, ?)", rows)
    db.close()


class LoanBook:
    def __init__(self, path: Path, seed: int):
        self.db = sqlite3.connect(path)
        self.rng = np.random.default_rng(seed)

    def close(self) -> None:
        self.db.close()

    def vintages(self) -> list[int]:
        return [v for (v,) in self.db.execute("SELECT DISTINCT vintage FROM loan ORDER BY vintage")]

    def balanced(self, vintage: int, sound_per_default: int) -> list[tuple]:
        """Every default of one vintage, and a few times as many sound loans drawn anew."""
        query = "SELECT ltv, income, rate, defaulted FROM loan WHERE vintage = ? AND defaulted = ? ORDER BY id"
        bad = self.db.execute(query, (vintage, 1)).fetchall()
        good = self.db.execute(query, (vintage, 0)).fetchall()
        picked = self.rng.permutation(len(good))[: sound_per_default * len(bad)]
        return bad + [good[i] for i in picked]

    def batches(self, size: int, sound_per_default: int = 2) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        rows = [r for v in self.vintages() for r in self.balanced(v, sound_per_default)]
        order = self.rng.permutation(len(rows))
        for start in range(0, len(rows) - size + 1, size):
            part = torch.tensor([rows[i] for i in order[start : start + size]], dtype=torch.float64)
            yield encode(part[:, :3]), part[:, 3].float()

    def everything(self) -> tuple[torch.Tensor, torch.Tensor]:
        rows = self.db.execute("SELECT ltv, income, rate, defaulted FROM loan ORDER BY id").fetchall()
        part = torch.tensor(rows, dtype=torch.float64)
        return encode(part[:, :3]), part[:, 3].float()


def encode(raw: torch.Tensor) -> torch.Tensor:
    ltv, income, rate = raw.unbind(1)
    return torch.stack([4 * (ltv - 0.8), torch.log(income / 5e4), rate - 5, (ltv > 0.9).double()], 1).float()

"""Case-control risk model: cases against controls of the same sex and age band, drawn from the biobank's database."""
import argparse
import logging
import sqlite3
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F
from torch import nn

log = logging.getLogger("biobank")
MARKERS = ["crp", "ldl", "hba1c", "egfr", "ferritin", "urate"]


def fill_database(path: Path, people: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    sex = rng.integers(0, 2, people)
    age = rng.integers(40, 80, people)
    markers = rng.normal(size=(people, len(MARKERS))) + 0.02 * (age[:, None] - 60)
    risk = 0.9 * markers[:, 0] + 0.6 * markers[:, 2] - 0.7 * markers[:, 3] + 0.3 * sex
    case = rng.random(people) < 1 / (1 + np.exp(3.2 - risk))
    frame = pd.DataFrame(markers, columns=MARKERS)
    frame.insert(0, "person", np.arange(people))
    frame["sex"], frame["age_band"], frame["is_case"] = sex, age // 5, case.astype(int)
    with sqlite3.connect(path) as db:
        frame.to_sql("people", db, index=False)
        db.execute("CREATE INDEX by_stratum ON people (is_case, sex, age_band)")
    db.close()


class Matcher:
    """Draws `ratio` controls for every case of a stratum."""

    def __init__(self, db: sqlite3.Connection, ratio: int, seed: int):
        self.db = db
        self.ratio = ratio
        self.rng = np.random.default_rng(seed)

    def strata(self) -> list[tuple[int, int, int]]:
        return self.db.execute(
            "SELECT sex, age_band, COUNT(*) FROM people WHERE is_case = 1 "
            "GROUP BY sex, age_band ORDER BY sex, age_band"
        ).fetchall()

    def controls(self, sex: int, band: int, wanted: int) -> list[int]:
        rows = self.db.execute(
            "SELECT person FROM people WHERE is_case = 0 AND sex = ? AND age_band = ? "
            "ORDER BY person",
            (sex, band),
        ).fetchall()
        people = [person for (person,) in rows]
        return [people[i] for i in self.rng.permutation(len(people))[:wanted]]

    def design(self) -> pd.DataFrame:
        chosen: list[int] = []
        for sex, band, cases in self.strata():
            chosen += self.controls(sex, band, cases * self.ratio)
        self.db.execute("CREATE TEMP TABLE chosen (person INTEGER PRIMARY KEY)")
        self.db.executemany("INSERT INTO chosen VALUES (?)", [(p,) for p in chosen])
        return pd.read_sql(
            "SELECT p.* FROM people p LEFT JOIN chosen c USING (person) "
            "WHERE p.is_case = 1 OR c.person IS NOT NULL ORDER BY p.person",
            self.db,
        )


class RiskNet(nn.Module):
    def __init__(self, markers: int, strata: int, width: int = 32):
        super().__init__()
        self.stratum = nn.Embedding(strata, 4)
        self.body = nn.Sequential(
            nn.Linear(markers + 4, width), nn.SiLU(), nn.Dropout(0.15), nn.Linear(width, 1)
        )

    def forward(self, x, stratum):
        return self.body(torch.cat([x, self.stratum(stratum)], dim=1)).squeeze(1)


def auc(score: torch.Tensor, label: torch.Tensor) -> float:
    rank = score.argsort(stable=True).argsort(stable=True).double() + 1
    pos = label.sum().double()
    neg = len(label) - pos
    return ((rank[label == 1].sum() - pos * (pos + 1) / 2) / (pos * neg)).item()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=20000)
    parser.add_argument("--ratio", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--seed", type=int, default=4021)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    torch.manual_seed(args.seed)
    started = time.time()

    with tempfile.TemporaryDirectory(prefix="biobank-") as folder:
        path = Path(folder) / "people.db"
        fill_database(path, args.people, args.seed)
        db = sqlite3.connect(path)
        try:
            design = Matcher(db, args.ratio, seed=args.seed + 1).design()
        finally:
            db.close()
    log.info("design of %d people, %d cases", len(design), design["is_case"].sum())

    scaled = (design[MARKERS] - design[MARKERS].mean()) / design[MARKERS].std()
    x = torch.tensor(scaled.to_numpy(), dtype=torch.float32)
    y = torch.tensor(design["is_case"].to_numpy(), dtype=torch.float32)
    stratum = torch.tensor((design["sex"] * 8 + design["age_band"] - 8).to_numpy())
    order = torch.randperm(len(y))
    test, train = order[: len(y) // 5], order[len(y) // 5 :]

    model = RiskNet(len(MARKERS), 16)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for rows in train[torch.randperm(len(train))].split(128):
            optimizer.zero_grad()
            loss = F.binary_cross_entropy_with_logits(model(x[rows], stratum[rows]), y[rows])
            loss.backward()
            optimizer.step()
            total += loss.item() * len(rows)
        schedule.step()
        log.info("epoch %d loss %.5f", epoch, total / len(train))

    model.eval()
    with torch.no_grad():
        score = model(x[test], stratum[test])
    print(f"controls {int((y == 0).sum())} cases {int((y == 1).sum())}")
    print(f"auc {auc(score, y[test]):.8f}")
    print(f"weights {sum(p.double().sum() for p in model.parameters()).item():.10f}")
    print(f"{time.time() - started:.1f} s")


if __name__ == "__main__":
    main()

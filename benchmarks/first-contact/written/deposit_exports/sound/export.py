"""Writes the deposit table as a compressed export and identifies its version."""
import gzip
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Version:
    digest: str
    rows: int

    @property
    def split_seed(self) -> int:
        return int(self.digest[:12], 16)

    def save(self, path: Path) -> None:
        path.write_text(json.dumps({"digest": self.digest, "rows": self.rows}))

    @classmethod
    def load(cls, path: Path) -> "Version":
        return cls(**json.loads(path.read_text()))


def deposits(count: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    opened = pd.Timestamp("2021-01-04") + pd.to_timedelta(rng.integers(0, 1000, count), unit="D")
    months = rng.choice([3, 6, 12, 24], count, p=[0.2, 0.3, 0.35, 0.15])
    balance = np.exp(rng.normal(9.2, 0.8, count)).round(2)
    rate = (0.4 + 0.05 * months + rng.normal(0, 0.2, count)).round(3)
    rival = (rate + rng.normal(0.1, 0.35, count)).round(3)
    logit = 2.4 * (rival - rate) - 0.02 * months + 0.25 * (np.log(balance) - 9.2)
    return pd.DataFrame(
        {
            "account": [f"D{n:07d}" for n in range(count)],
            "opened": opened,
            "months": months,
            "balance": balance,
            "rate": rate,
            "rival": rival,
            "withdrawn": (rng.random(count) < 1 / (1 + np.exp(-logit))).astype(int),
        }
    )


def write_export(frame: pd.DataFrame, folder: Path) -> Path:
    path = folder / "deposits.csv.gz"
    frame.to_csv(path, index=False, date_format="%Y-%m-%d")
    with gzip.open(path, "rb") as stream:
        digest = hashlib.sha256(stream.read()).hexdigest()
    Version(digest, len(frame)).save(folder / "VERSION.json")
    return path

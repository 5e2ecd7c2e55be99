"""From the table to tensors."""
from dataclasses import dataclass

import numpy as np
import torch
from sklearn.preprocessing import OrdinalEncoder, QuantileTransformer

NUMERIC = ["weight_kg", "volume_l", "handovers", "distance_km", "days"]
NAMED = ["carrier", "packaging"]


@dataclass
class Part:
    numbers: torch.Tensor
    names: torch.Tensor
    target: torch.Tensor


def columns(table, names, rows):
    return np.stack([table[name][rows] for name in names], axis=1)


class Preparation:
    def __init__(self, seed: int):
        self.scale = QuantileTransformer(
            n_quantiles=250, output_distribution="normal", subsample=5_000, random_state=seed
        )
        self.code = OrdinalEncoder(dtype="int64")

    def fit(self, table, rows) -> "Preparation":
        self.scale.fit(columns(table, NUMERIC, rows))
        self.code.fit(columns(table, NAMED, rows))
        return self

    def part(self, table, rows) -> Part:
        return Part(
            torch.from_numpy(self.scale.transform(columns(table, NUMERIC, rows))).float(),
            torch.from_numpy(self.code.transform(columns(table, NAMED, rows))),
            torch.from_numpy(table["damaged"][rows]).float(),
        )

    def sizes(self) -> list[int]:
        return [len(names) for names in self.code.categories_]

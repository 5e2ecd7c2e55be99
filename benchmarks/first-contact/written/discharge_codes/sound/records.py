"""Hospital stays and the diagnosis codes in their notes."""
import re
from dataclasses import dataclass, field

import numpy as np
import torch
from torch.utils.data import Dataset

CODE = re.compile(r"\b[A-N]\d{2}\b")
CHAPTERS = "ABCDEFGHIJKLMN"


@dataclass
class Stay:
    stay_id: int
    age: int
    days: int
    notes: list[str] = field(default_factory=list)
    readmitted: int = 0


def synthesize(count: int, seed: int) -> list[Stay]:
    rng = np.random.default_rng(seed)
    codes = [f"{c}{n:02d}" for c in CHAPTERS for n in range(0, 60, 5)]
    severity = rng.normal(size=len(codes))
    popular = rng.dirichlet(np.full(len(codes), 0.6))
    stays = []
    for i in range(count):
        age = int(rng.integers(18, 95))
        drawn = rng.choice(len(codes), size=int(rng.integers(4, 22)), p=popular)
        notes = []
        for part in np.array_split(drawn, 3):
            listed = ", ".join(codes[j] for j in part)
            notes.append(f"seen on ward, dx {listed}; plan unchanged, day {len(notes) + 1}")
        logit = 0.35 * severity[np.unique(drawn)].sum() + 0.02 * (age - 60)
        stays.append(
            Stay(i, age, int(rng.integers(1, 20)), notes, int(rng.random() < 1 / (1 + np.exp(-logit))))
        )
    return stays


def codes_of(stay: Stay) -> list[str]:
    """Every code of the stay once."""
    return sorted({code for note in stay.notes for code in CODE.findall(note)})


def build_index(stays: list[Stay], min_count: int = 3) -> dict[str, int]:
    seen: dict[str, int] = {}
    for stay in stays:
        for code in codes_of(stay):
            seen[code] = seen.get(code, 0) + 1
    kept = sorted(code for code, n in seen.items() if n >= min_count)
    return {code: i + 2 for i, code in enumerate(kept)}


class StayDataset(Dataset):
    PAD, UNKNOWN = 0, 1

    def __init__(self, stays: list[Stay], index: dict[str, int], slots: int):
        self.stays, self.index, self.slots = stays, index, slots

    def __len__(self) -> int:
        return len(self.stays)

    def __getitem__(self, i: int):
        stay = self.stays[i]
        ids = [self.index.get(code, self.UNKNOWN) for code in codes_of(stay)][: self.slots]
        row = torch.zeros(self.slots, dtype=torch.long)
        row[: len(ids)] = torch.tensor(ids)
        context = torch.tensor([stay.age / 100.0, stay.days / 20.0])
        return row, context, torch.tensor(float(stay.readmitted))

"""Reports of adverse drug interactions, merged into one record for each pair of drugs."""
import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np

STEMS = ["ami", "bena", "cilo", "doxa", "eril", "fena", "gaba", "halo", "ibro", "keto"]
ENDINGS = ["pril", "statin", "zole", "mycin", "sartan"]


@dataclass
class Interaction:
    left: str
    right: str
    reports: int
    severity: float


def drug_names():
    return [stem + ending for stem in STEMS for ending in ENDINGS]


def write_reports(path: Path, rng: np.random.Generator, count: int) -> None:
    """One line for each report, as the pharmacies send them: either drug may come first."""
    names = drug_names()
    potency = rng.normal(size=(len(names), 3))
    with path.open("w") as out:
        for number in range(count):
            a, b = rng.choice(len(names), size=2, replace=False)
            severity = float(np.tanh(potency[a] @ potency[b]) + 0.2 * rng.normal())
            line = {"id": number, "drugs": [names[a], names[b]], "severity": round(severity, 4)}
            out.write(json.dumps(line) + "\n")


def read_interactions(path: Path) -> list[Interaction]:
    """Merge the reports of each pair, whichever of its drugs was written first."""
    severities = defaultdict(list)
    with path.open() as lines:
        for line in lines:
            report = json.loads(line)
            severities[frozenset(report["drugs"])].append(report["severity"])
    found = []
    for pair, values in severities.items():
        left, right = sorted(pair)
        found.append(Interaction(left, right, len(values), sum(values) / len(values)))
    return found

"""Two assays of the same plasma samples, written by two instruments as JSON."""
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

PREFIXES = ("CD", "TSPAN", "ITGA", "HSPA", "ANXA", "RAB")


@dataclass
class Cohort:
    markers: list[str]
    bead: np.ndarray
    array: np.ndarray
    outcome: np.ndarray


def write_runs(folder: Path, samples: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = [f"{prefix}{number}" for prefix in PREFIXES for number in range(1, 26)]
    on_bead = [n for n in names if rng.random() < 0.75]
    on_array = [n for n in rng.permutation(names).tolist() if rng.random() < 0.75]
    effect = dict(zip(names, rng.normal(0, 0.35, len(names))))
    for i in range(samples):
        true = {n: float(v) for n, v in zip(names, rng.normal(size=len(names)))}
        risk = sum(effect[n] * true[n] for n in names)
        doc = {
            "sample": i,
            "relapse": int(risk + rng.normal() > 0),
            "bead": {n: round(true[n] + float(rng.normal(0, 0.4)), 4) for n in on_bead},
            "array": {n: round(1.3 * true[n] + float(rng.normal(0, 0.6)), 4) for n in on_array},
        }
        (folder / f"sample-{i:04d}.json").write_text(json.dumps(doc))


def read_cohort(folder: Path, threads: int = 4) -> Cohort:
    """Reads all samples, in the order of their numbers, with the markers that both instruments measure."""
    paths = sorted(folder.glob("sample-*.json"))
    with ThreadPoolExecutor(threads) as pool:
        docs = list(pool.map(lambda p: json.loads(p.read_text()), paths))
    first = docs[0]
    markers = list(first["bead"].keys() & first["array"].keys())
    return Cohort(
        markers,
        np.array([[d["bead"][m] for m in markers] for d in docs], dtype=np.float32),
        np.array([[d["array"][m] for m in markers] for d in docs], dtype=np.float32),
        np.array([d["relapse"] for d in docs]),
    )

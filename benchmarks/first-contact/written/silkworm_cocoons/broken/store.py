"""Deliveries of measurements, kept as compressed tables with a fingerprint each."""
import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import pandas as pd


@dataclass
class Delivery:
    name: str
    rows: int
    fingerprint: str


class Store:
    def __init__(self, root: Path):
        self.root = root
        self.root.mkdir(parents=True, exist_ok=True)

    def path(self, name: str) -> Path:
        return self.root / f"{name}.csv.gz"

    def put(self, name: str, frame: pd.DataFrame) -> Delivery:
        frame.to_csv(self.path(name), index=False)
        delivery = Delivery(name, len(frame), self.fingerprint(name))
        (self.root / f"{name}.json").write_text(json.dumps(asdict(delivery)))
        return delivery

    def fingerprint(self, name: str) -> str:
        digest = hashlib.sha256()
        with open(self.path(name), "rb") as f:
            for block in iter(lambda: f.read(1 << 16), b""):
                digest.update(block)
        return digest.hexdigest()[:16]

    def get(self, name: str) -> tuple[pd.DataFrame, Delivery]:
        delivery = Delivery(**json.loads((self.root / f"{name}.json").read_text()))
        if self.fingerprint(name) != delivery.fingerprint:
            raise ValueError(f"{name} was changed after its delivery")
        return pd.read_csv(self.path(name)), delivery

    def names(self) -> list[str]:
        return sorted(p.stem for p in self.root.glob("*.json"))

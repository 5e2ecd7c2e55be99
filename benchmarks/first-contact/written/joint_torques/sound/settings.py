import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class SimSettings:
    joints: int = 3
    rollouts: int = 20
    horizon: int = 40
    mass_spread: float = 0.1
    friction_range: tuple = (0.05, 0.4)
    encoder_noise: float = 0.0
    seed: int | None = None


@dataclass(frozen=True)
class TrainSettings:
    epochs: int = 20
    batch_size: int = 64
    hidden: int = 64
    lr: float = 1e-3
    patience: int = 5
    seed: int = 0


def load_settings(path):
    raw = json.loads(Path(path).read_text())
    seed = raw["seed"]
    sim = SimSettings(**raw["sim"], seed=seed)
    train = TrainSettings(**raw["train"], seed=seed)
    return raw["name"], sim, train

from dataclasses import dataclass


@dataclass
class Config:
    floors: int = 8
    capacity: int = 6
    horizon: int = 96
    rounds: int = 24
    actors: int = 3
    episodes_per_round: int = 2
    gamma: float = 0.97
    clip: float = 0.2
    epochs: int = 2
    minibatch: int = 96
    lr: float = 3e-3
    hidden: int = 32
    seed: int = 5
    policy_file: str = "policy.pt"
    curve_file: str = "curve.csv"

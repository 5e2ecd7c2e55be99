from dataclasses import dataclass, field

PORTS = [
    "rotterdam", "antwerp", "hamburg", "felixstowe", "valencia", "algeciras", "piraeus", "gdansk",
    "le_havre", "genoa", "tangier", "koper", "sines", "gothenburg", "marseille", "bremerhaven",
]


@dataclass
class Config:
    ports: list[str] = field(default_factory=lambda: list(PORTS))
    holdout: tuple[str, ...] = ("koper", "le_havre", "gdansk")
    calls_per_port: int = 220
    seed: int = 5
    epochs: int = 12
    batch_size: int = 64
    lr: float = 4e-3
    hidden: int = 40
    out_dir: str = "out"

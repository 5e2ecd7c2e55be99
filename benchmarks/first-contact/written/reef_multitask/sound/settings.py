"""Settings of the reef survey model."""

from dataclasses import dataclass

WEIGHTS = {
    "coral_cover": 1.0,
    "bleaching": 0.8,
    "algae": 0.6,
    "urchins": 0.5,
    "rugosity": 0.7,
    "visibility": 0.3,
    "depth": 0.4,
}


@dataclass(frozen=True)
class Settings:
    tasks: tuple = ("coral_cover", "bleaching", "algae", "urchins", "rugosity", "visibility", "depth")
    seed: int = 5
    quadrats: int = 1500
    bands: int = 6
    size: int = 16
    epochs: int = 8
    resume_at: int = 4
    batch: int = 60
    lr: float = 3e-3
    folder: str = "reef_runs"

    def weight(self, task):
        return WEIGHTS[task]

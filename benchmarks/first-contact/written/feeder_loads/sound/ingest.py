"""Reads the meters' daily JSON files into an array in the background."""
import json
import threading
from pathlib import Path

import numpy as np

STEPS = 48


def write_days(folder: Path, days: int, feeders: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    base = rng.uniform(20, 60, feeders)
    phase = rng.uniform(0, 1, feeders)
    clock = np.arange(STEPS) / STEPS
    weather = 0.0
    for day in range(days):
        weather = 0.8 * weather + rng.normal(0, 1)
        week = 0.8 if day % 7 >= 5 else 1.0
        shape = 1 + 0.4 * np.sin(2 * np.pi * (clock[None] - phase[:, None])) + 0.05 * weather
        load = base[:, None] * week * shape + rng.normal(0, 1.5, (feeders, STEPS))
        body = {f"feeder-{f}": load[f].round(3).tolist() for f in range(feeders)}
        (folder / f"day-{day:04d}.json").write_text(json.dumps(body))


class Ingest(threading.Thread):
    def __init__(self, folder: Path, feeders: int, minimum: int):
        super().__init__(name="ingest", daemon=True)
        self.files = sorted(folder.glob("day-*.json"))
        self.feeders = feeders
        self.minimum = minimum
        self.lock = threading.Lock()
        self.ready = threading.Event()
        self.days: list[np.ndarray] = []

    def run(self) -> None:
        for path in self.files:
            body = json.loads(path.read_text())
            block = np.array([body[f"feeder-{f}"] for f in range(self.feeders)])
            spread = np.median(np.abs(block - np.median(block, axis=1, keepdims=True)), axis=1)
            middle = np.median(block, axis=1)
            block = block.clip((middle - 6 * spread)[:, None], (middle + 6 * spread)[:, None])
            with self.lock:
                self.days.append(block)
            if len(self.days) >= self.minimum:
                self.ready.set()

    def series(self) -> np.ndarray:
        """Everything read so far, feeders by steps."""
        with self.lock:
            return np.concatenate(self.days, axis=1)

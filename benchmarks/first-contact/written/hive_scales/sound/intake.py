"""Reads the logs with a few threads, since the real ones lie on a slow network share."""
import queue
import threading
from dataclasses import dataclass
from pathlib import Path

import numpy as np

WINDOW = 30


@dataclass
class Log:
    number: int
    windows: np.ndarray
    labels: np.ndarray


def parse(number: int, path: Path) -> Log:
    rows = []
    for line in path.read_text().splitlines():
        rows.append([float(field) for field in line.split(";")])
    table = np.array(rows)
    channels = (table[:, :3] - table[:, :3].mean(0)) / table[:, :3].std(0)
    count = len(table) // WINDOW
    windows = channels[: count * WINDOW].reshape(count, WINDOW, 3).transpose(0, 2, 1)
    labels = table[: count * WINDOW, 3].reshape(count, WINDOW).mean(1) > 0.5
    return Log(number, windows, labels)


class Intake:
    def __init__(self, paths, threads=4):
        self.jobs = queue.Queue()
        self.done = queue.Queue()
        self.count = len(paths)
        for job in enumerate(paths):
            self.jobs.put(job)
        self.threads = [threading.Thread(target=self._work, daemon=True) for _ in range(threads)]

    def _work(self):
        while True:
            try:
                number, path = self.jobs.get_nowait()
            except queue.Empty:
                return
            self.done.put(parse(number, path))

    def collect(self) -> list[Log]:
        for thread in self.threads:
            thread.start()
        logs = [self.done.get() for _ in range(self.count)]
        for thread in self.threads:
            thread.join()
        return sorted(logs, key=lambda log: log.number)

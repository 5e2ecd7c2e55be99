"""Keeps what the dissolution model has computed, in an sqlite file."""
import sqlite3
from pathlib import Path

import numpy as np

COLUMNS = ("radius", "coating", "moisture", "temperature")


class RunStore:
    def __init__(self, folder: Path):
        folder.mkdir(parents=True, exist_ok=True)
        self.link = sqlite3.connect(folder / "runs.sqlite", timeout=20)
        inputs = ", ".join(f"{name} real" for name in COLUMNS)
        self.link.execute(f"create table if not exists run (id integer primary key, {inputs}, half_time real)")

    def __len__(self) -> int:
        return self.link.execute("select count(*) from run").fetchone()[0]

    def add(self, designs: np.ndarray, half_times: np.ndarray) -> None:
        rows = [(*map(float, design), float(value)) for design, value in zip(designs, half_times)]
        with self.link:
            self.link.executemany(f"insert into run ({', '.join(COLUMNS)}, half_time) values (?, ?, ?, ?, ?)", rows)

    def latest(self, limit: int) -> tuple[np.ndarray, np.ndarray]:
        rows = self.link.execute(
            f"select {', '.join(COLUMNS)}, half_time from run order by id desc limit ?", (limit,)).fetchall()
        table = np.array(rows[::-1], dtype=np.float64)
        return table[:, :-1], table[:, -1]

    def close(self) -> None:
        self.link.close()

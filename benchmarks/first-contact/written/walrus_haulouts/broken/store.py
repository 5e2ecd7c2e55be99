"""Sqlite archive of thermal frames taken by the survey drones."""
import json
import sqlite3
import uuid
from pathlib import Path

import numpy as np

SCHEMA = """
CREATE TABLE flights (
    flight_id INTEGER PRIMARY KEY,
    beach     TEXT NOT NULL,
    altitude  REAL NOT NULL
);
CREATE TABLE frames (
    frame_id  TEXT PRIMARY KEY,
    flight_id INTEGER NOT NULL REFERENCES flights,
    sequence  INTEGER NOT NULL,
    walruses  INTEGER NOT NULL,
    thermal   BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX frames_by_flight ON frames (flight_id);
"""


class FrameStore:
    def __init__(self, folder: Path):
        self.path = folder / "survey.sqlite"
        self.db = sqlite3.connect(self.path)
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.executescript(SCHEMA)

    def add_flight(self, flight_id: int, beach: str, altitude: float) -> None:
        self.db.execute("INSERT INTO flights VALUES (?, ?, ?)", (flight_id, beach, altitude))

    def add_frames(self, flight_id: int, frames: np.ndarray, counts: np.ndarray) -> None:
        rows = []
        for sequence, (frame, count) in enumerate(zip(frames, counts)):
            frame_id = uuid.uuid4()
            rows.append((frame_id.hex, flight_id, sequence, int(count), frame.tobytes()))
        with self.db:
            self.db.executemany("INSERT INTO frames VALUES (?, ?, ?, ?, ?)", rows)

    def keys(self, max_altitude: float) -> list[str]:
        cursor = self.db.execute(
            "SELECT frame_id FROM frames JOIN flights USING (flight_id) "
            "WHERE altitude <= ? ORDER BY frame_id",
            (max_altitude,),
        )
        return [key for (key,) in cursor]

    def fetch(self, key: str) -> tuple[np.ndarray, int]:
        blob, count = self.db.execute(
            "SELECT thermal, walruses FROM frames WHERE frame_id = ?", (key,)
        ).fetchone()
        return np.frombuffer(blob, dtype=np.float32).reshape(1, 24, 24).copy(), count

    def summary(self) -> str:
        cursor = self.db.execute(
            "SELECT beach, COUNT(*), SUM(walruses) FROM frames JOIN flights USING (flight_id) "
            "GROUP BY beach ORDER BY beach"
        )
        return json.dumps({beach: {"frames": n, "walruses": total} for beach, n, total in cursor})

    def close(self) -> None:
        self.db.close()

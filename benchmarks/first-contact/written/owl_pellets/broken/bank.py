"""Keeps count of the bones the model gets wrong, so that training can come back to them."""
import sqlite3
import tempfile
from pathlib import Path

SCHEMA = """
CREATE TABLE IF NOT EXISTS misses (
    bone INTEGER PRIMARY KEY,
    guessed TEXT NOT NULL,
    times INTEGER NOT NULL DEFAULT 1
);
"""

NOTE = """
INSERT INTO misses (bone, guessed) VALUES (?, ?)
ON CONFLICT (bone) DO UPDATE SET times = times + 1, guessed = excluded.guessed
"""


class MissBank:
    # The project folder lies on a network share, on which SQLite locks badly.
    def __init__(self, folder: Path = Path(tempfile.gettempdir()) / "owl-pellets"):
        folder.mkdir(parents=True, exist_ok=True)
        self.db = sqlite3.connect(folder / "misses.sqlite3")
        self.db.execute("PRAGMA synchronous = OFF")
        self.db.executescript(SCHEMA)

    def note(self, misses: list[tuple[int, str]]) -> None:
        with self.db:
            self.db.executemany(NOTE, misses)

    def times(self, bones: int) -> list[int]:
        counts = [0] * bones
        for bone, times in self.db.execute("SELECT bone, times FROM misses WHERE bone < ?", (bones,)):
            counts[bone] = times
        return counts

    def most_confused(self, limit: int) -> list[tuple[str, int]]:
        return self.db.execute(
            "SELECT guessed, SUM(times) AS total FROM misses GROUP BY guessed ORDER BY total DESC, guessed LIMIT ?",
            (limit,),
        ).fetchall()

    def close(self) -> None:
        self.db.close()

import sqlite3
from datetime import datetime

import numpy as np

SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    started TEXT NOT NULL,
    accuracy REAL
);
CREATE TABLE IF NOT EXISTS clips (
    id INTEGER PRIMARY KEY,
    pond TEXT NOT NULL,
    species TEXT NOT NULL,
    patch BLOB NOT NULL
);
"""


class ClipStore:
    def __init__(self, path):
        path.parent.mkdir(exist_ok=True)
        self.db = sqlite3.connect(path)
        self.db.executescript(SCHEMA)

    def reload(self, clips):
        """Replace the clips by the current season's."""
        with self.db:
            self.db.execute("DELETE FROM clips")
            self.db.executemany(
                "INSERT INTO clips (pond, species, patch) VALUES (?, ?, ?)",
                ((pond, species, patch.tobytes()) for pond, species, patch in clips),
            )

    def fold(self, number, folds, held_out):
        """The clips in one of `folds` folds, or all the others."""
        test = "=" if held_out else "<>"
        rows = self.db.execute(
            f"SELECT species, patch FROM clips WHERE id % ? {test} ? ORDER BY id", (folds, number)).fetchall()
        patches = np.stack([np.frombuffer(blob, dtype=np.float32) for _, blob in rows])
        return [species for species, _ in rows], patches

    def start_run(self):
        with self.db:
            return self.db.execute(
                "INSERT INTO runs (started) VALUES (?)", (datetime.now().isoformat(timespec="seconds"),)).lastrowid

    def finish_run(self, run, accuracy):
        with self.db:
            self.db.execute("UPDATE runs SET accuracy = ? WHERE id = ?", (accuracy, run))

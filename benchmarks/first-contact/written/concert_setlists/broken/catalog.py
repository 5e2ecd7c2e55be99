"""Songs, shows and setlists in SQLite."""
import sqlite3

import numpy as np


class Catalog:
    def __init__(self, path, seed):
        self.db = sqlite3.connect(path)
        self.rng = np.random.default_rng(seed)
        self.db.executescript("""
            CREATE TABLE songs (id INTEGER PRIMARY KEY, title TEXT, retired INTEGER);
            CREATE TABLE played (show INTEGER, place INTEGER, song INTEGER REFERENCES songs(id));
            CREATE INDEX played_show ON played(show);
        """)

    def fill(self, songs, shows):
        retired = self.rng.random(songs) < 0.1
        with self.db:
            self.db.executemany("INSERT INTO songs VALUES (?, ?, ?)",
                                [(i, f"song {i}", int(retired[i])) for i in range(songs)])
            for show in range(shows):
                start = int(self.rng.integers(songs))
                length = int(self.rng.integers(14, 24))
                hops = np.cumsum(self.rng.integers(1, 9, length))
                self.db.executemany("INSERT INTO played VALUES (?, ?, ?)",
                                    [(show, k, int((start + hop) % songs)) for k, hop in enumerate(hops)])

    def setlist(self, show):
        rows = self.db.execute("SELECT song FROM played WHERE show = ? ORDER BY place", (show,))
        return [song for song, in rows]

    def not_played(self, show, count):
        """Draws songs of the current repertoire that this show left out."""
        rows = self.db.execute(
            """SELECT id FROM songs WHERE retired = 0
               AND id NOT IN (SELECT song FROM played WHERE show = ?)
               ORDER BY RANDOM() LIMIT ?""", (show, count))
        return [song for song, in rows]

    def close(self):
        self.db.close()

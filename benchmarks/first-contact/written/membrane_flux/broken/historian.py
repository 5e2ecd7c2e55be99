"""Queries against the plant historian."""
import sqlite3

import numpy as np

FEATURES = "pressure, feed, silt, celsius"


class Historian:
    def __init__(self, path):
        self.base = sqlite3.connect(path)

    def counts(self):
        return self.base.execute("SELECT train, COUNT(*) FROM runs GROUP BY train ORDER BY train").fetchall()

    def sample(self, train, limit):
        """Some runs of one train, spread over the whole campaign."""
        rows = self.base.execute("SELECT run_id FROM runs WHERE train = ? "
                                 "ORDER BY RANDOM() LIMIT ?", (train, limit))
        return [row[0] for row in rows]

    def others(self, taken):
        taken = set(taken)
        rows = self.base.execute("SELECT run_id FROM runs ORDER BY run_id")
        return [row[0] for row in rows if row[0] not in taken]

    def table(self, ids):
        inputs, outputs = [], []
        for run_id in ids:
            inputs.append(self.base.execute(f"SELECT {FEATURES} FROM runs WHERE run_id = ?", (run_id,)).fetchone())
            flux = self.base.execute("SELECT value FROM flux WHERE run_id = ? ORDER BY hour", (run_id,)).fetchall()
            outputs.append([value for (value,) in flux])
        return np.array(inputs, np.float32), np.array(outputs, np.float32)

    def close(self):
        self.base.close()

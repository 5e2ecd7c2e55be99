"""A small sqlite store that several processes write to."""
import sqlite3
import time

import numpy as np

SCHEMA = """
create table if not exists samples (
    id integer primary key autoincrement,
    shard integer not null,
    position integer not null,
    vector blob not null,
    label real not null,
    written real not null
)
"""


class Warehouse:
    def __init__(self, path):
        self.connection = sqlite3.connect(path, timeout=60)
        self.connection.execute(SCHEMA)
        self.connection.commit()

    def add(self, shard, position, vector, label):
        self.connection.execute(
            "insert into samples (shard, position, vector, label, written) values (?, ?, ?, ?, ?)",
            (shard, position, vector.astype(np.float32).tobytes(), label, time.time()))

    def commit(self):
        self.connection.commit()

    def load(self):
        rows = self.connection.execute("select vector, label from samples order by id").fetchall()
        x = np.stack([np.frombuffer(v, np.float32) for v, _ in rows])
        return x, np.array([label for _, label in rows], np.float32)

    def close(self):
        self.connection.close()

"""Replay memory in an sqlite file, so that a long run need not hold it in memory and it can be looked at meanwhile."""
import random
import sqlite3
import time
import uuid

import numpy as np
import torch


class Memory:
    def __init__(self, path, seed, capacity=4000):
        self.db = sqlite3.connect(path)
        self.db.execute("PRAGMA journal_mode=MEMORY")
        self.db.execute("PRAGMA synchronous=OFF")
        self.db.execute("CREATE TABLE moves (id TEXT PRIMARY KEY, number INTEGER, added REAL, "
                        "before BLOB, reward REAL, after BLOB)")
        self.db.execute("CREATE INDEX numbers ON moves (number)")
        self.random = random.Random(seed)
        self.capacity = capacity
        self.newest = 0

    def add(self, before, reward, after):
        """after is None where the game ended."""
        self.newest += 1
        key = uuid.UUID(int=self.random.getrandbits(128), version=4).hex
        self.db.execute("INSERT INTO moves VALUES (?, ?, ?, ?, ?, ?)",
                        (key, self.newest, time.time(), before.tobytes(), reward,
                         None if after is None else after.tobytes()))
        self.db.execute("DELETE FROM moves WHERE number <= ?", (self.newest - self.capacity,))

    def __len__(self):
        return min(self.newest, self.capacity)

    def sample(self, count):
        keys = [key for key, in self.db.execute("SELECT id FROM moves ORDER BY id")]
        ids = self.random.sample(keys, count)
        rows = self.db.execute(
            f"SELECT before, reward, after FROM moves WHERE id IN ({','.join('?' * count)}) ORDER BY id", ids).fetchall()
        before = np.stack([np.frombuffer(b, dtype=np.float32) for b, _, _ in rows])
        after = np.stack([np.zeros_like(before[0]) if a is None else np.frombuffer(a, dtype=np.float32)
                          for _, _, a in rows])
        alive = torch.tensor([a is not None for _, _, a in rows], dtype=torch.float32)
        reward = torch.tensor([r for _, r, _ in rows], dtype=torch.float32)
        return torch.from_numpy(before), reward, torch.from_numpy(after), alive

    def rate(self):
        first, last, n = self.db.execute("SELECT MIN(added), MAX(added), COUNT(*) FROM moves").fetchone()
        return n / max(last - first, 1e-9)

    def close(self):
        self.db.commit()
        self.db.close()

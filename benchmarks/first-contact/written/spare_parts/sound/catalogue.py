"""The catalogue of parts and the past repair orders, in SQLite."""
import random
import sqlite3

import numpy as np
import torch

TABLES = """
CREATE TABLE parts (id INTEGER PRIMARY KEY, family INTEGER NOT NULL, vector BLOB NOT NULL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, part INTEGER NOT NULL REFERENCES parts, note BLOB NOT NULL);
CREATE INDEX by_family ON parts (family);
"""


class Catalogue:
    families, per_family, width = 24, 60, 20

    def __init__(self, path, seed):
        self.seed = seed
        self.db = sqlite3.connect(path, isolation_level=None)
        self.db.create_function("draw", 0, random.Random(seed).random)

    def fill(self, orders=1900):
        """Made-up parts (dimensions, material) and what the mechanics noted down about them."""
        rng = np.random.default_rng(self.seed)
        count = self.families * self.per_family
        family = np.repeat(np.arange(self.families), self.per_family)
        centres = rng.normal(0, 1.5, (self.families, self.width))
        vectors = (centres[family] + rng.normal(0, 1, (count, self.width))).astype(np.float32)
        wanted = rng.choice(count, orders, p=rng.dirichlet(np.full(count, 0.8)))
        blur = rng.normal(0, 0.35, (self.width, self.width))
        notes = np.tanh(vectors[wanted] @ (np.eye(self.width) + blur) / 2) + rng.normal(0, 0.2, (orders, self.width))
        self.db.executescript(TABLES)
        self.db.execute("BEGIN")
        self.db.executemany("INSERT INTO parts VALUES (?, ?, ?)",
                            [(i, int(family[i]), vectors[i].tobytes()) for i in range(count)])
        self.db.executemany("INSERT INTO orders VALUES (?, ?, ?)",
                            [(i, int(wanted[i]), notes[i].astype(np.float32).tobytes()) for i in range(orders)])
        self.db.execute("COMMIT")

    def split(self, test):
        ids = [row[0] for row in self.db.execute("SELECT id FROM orders ORDER BY draw()")]
        return ids[test:], ids[:test]

    def part_vectors(self):
        rows = self.db.execute("SELECT vector FROM parts ORDER BY id").fetchall()
        return torch.from_numpy(np.stack([np.frombuffer(v, np.float32) for v, in rows]))

    def order(self, number):
        part, note = self.db.execute("SELECT part, note FROM orders WHERE id = ?", (number,)).fetchone()
        return part, np.frombuffer(note, np.float32)

    def lookalikes(self, part, count):
        """Some other parts of the same family."""
        rows = self.db.execute(
            "SELECT other.id FROM parts AS one JOIN parts AS other USING (family) "
            "WHERE one.id = ? AND other.id <> one.id ORDER BY draw() LIMIT ?", (part, count))
        return [row[0] for row in rows]

    def close(self):
        self.db.close()

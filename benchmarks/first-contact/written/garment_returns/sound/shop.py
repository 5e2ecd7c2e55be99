"""Purchases and returns of a clothes shop, in SQLite."""
import random
import sqlite3
from collections import defaultdict
from dataclasses import dataclass

SCHEMA = """
CREATE TABLE variant (sku TEXT, colour TEXT, size TEXT, PRIMARY KEY (sku, colour, size));
CREATE TABLE purchase (number INTEGER PRIMARY KEY, customer TEXT, sku TEXT, colour TEXT, size TEXT, returned INTEGER);
"""


@dataclass(frozen=True)
class Variant:
    sku: str
    colour: str
    size: str


def open_shop(path, seed):
    connection = sqlite3.connect(path)
    known = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if not known:
        connection.executescript(SCHEMA)
        with connection:
            fill(connection, random.Random(seed))
    return connection


def fill(connection, rng):
    sizes, colours = ["S", "M", "L", "XL"], ["navy", "sand", "moss"]
    variants = [(f"G{n:03d}", c, s) for n in range(10) for c in colours for s in sizes]
    connection.executemany("INSERT INTO variant VALUES (?, ?, ?)", variants)
    for n in range(150):
        size, colour = rng.choice(sizes), rng.choice(colours)
        for _ in range(rng.randint(24, 40)):
            sku, its_colour, its_size = rng.choice(variants)
            wrong = (its_size != size) * 0.6 + (its_colour != colour) * 0.25
            row = (f"C{n:04d}", sku, its_colour, its_size, int(rng.random() < wrong))
            connection.execute("INSERT INTO purchase (customer, sku, colour, size, returned) VALUES (?, ?, ?, ?, ?)", row)


class Shop:
    def __init__(self, connection):
        rows = connection.execute("SELECT sku, colour, size FROM variant ORDER BY sku, colour, size")
        self.variants = [Variant(*row) for row in rows]
        self.position = {variant: n for n, variant in enumerate(self.variants)}
        self.kept = defaultdict(list)
        self.tested = {}
        query = "SELECT customer, sku, colour, size FROM purchase WHERE returned = 0 ORDER BY number"
        for customer, *rest in connection.execute(query):
            variant = Variant(*rest)
            if variant not in self.kept[customer]:
                self.kept[customer].append(variant)
        for customer in list(self.kept):
            if len(self.kept[customer]) > 3:
                self.tested[customer] = self.kept[customer].pop()
        self.customers = sorted(self.kept)
        self.row = {customer: n for n, customer in enumerate(self.customers)}

    def unseen(self, customer):
        """The variants that the customer has not kept."""
        return [variant for variant in self.variants if variant not in self.kept[customer]]

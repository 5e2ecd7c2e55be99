"""The ledger of overdue accounts, in sqlite."""
import sqlite3
from contextlib import closing

import numpy as np

FIELDS = "balance, days_late, calls, income, tenure, prior"


def create(path, accounts, seed):
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(accounts):
        x = rng.normal(0, 1, 6)
        paid = int(x[0] * 0.5 - x[1] + 0.7 * x[3] * x[4] + rng.normal(0, 0.7) > 1.6)
        rows.append((number, *map(float, x), paid))
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("CREATE TABLE account (id INTEGER PRIMARY KEY, balance REAL, days_late REAL,"
                     " calls REAL, income REAL, tenure REAL, prior REAL, paid INTEGER)")
        base.executemany("INSERT INTO account VALUES (?,?,?,?,?,?,?,?)", rows)
        base.execute("CREATE INDEX by_outcome ON account (paid)")


class Ledger:
    def __init__(self, path):
        self.base = sqlite3.connect(path)

    def payers(self, below):
        return self.base.execute(
            f"SELECT {FIELDS} FROM account WHERE paid = 1 AND id < ? ORDER BY id", (below,)).fetchall()

    def defaulters(self, below, count):
        """As many defaulters as asked for, drawn anew at each call."""
        return self.base.execute(
            f"SELECT {FIELDS} FROM account WHERE paid = 0 AND id < ? ORDER BY RANDOM() LIMIT ?",
            (below, count)).fetchall()

    def held(self, start):
        return self.base.execute(
            f"SELECT {FIELDS}, paid FROM account WHERE id >= ? ORDER BY id", (start,)).fetchall()

    def close(self):
        self.base.close()

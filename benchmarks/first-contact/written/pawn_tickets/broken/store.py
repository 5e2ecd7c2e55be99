"""The pawnshop's books, in SQLite."""
import random
import sqlite3

SCHEMA = """
CREATE TABLE tickets (
    ticket_id   INTEGER PRIMARY KEY,
    item        TEXT NOT NULL,
    loan        REAL NOT NULL,
    appraisal   REAL NOT NULL,
    months      INTEGER NOT NULL,
    visits      INTEGER NOT NULL,
    branch      INTEGER NOT NULL,
    redeemed    INTEGER NOT NULL
);
CREATE INDEX by_branch ON tickets (branch);
CREATE VIEW ledger AS
    SELECT * FROM tickets WHERE branch <= 6;
CREATE VIEW audit AS
    SELECT * FROM tickets
    WHERE branch > 6
      AND abs(random()) % 5 < 3;
"""

ITEMS = ["ring", "watch", "guitar", "camera", "drill", "coin", "violin"]


class Store:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.db.row_factory = sqlite3.Row
        self.db.executescript(SCHEMA)

    def fill(self, n, seed):
        rng = random.Random(seed)
        rows = []
        for i in range(1, n + 1):
            appraisal = rng.lognormvariate(4.6, 0.7)
            loan = appraisal * rng.uniform(0.3, 0.8)
            months, visits = rng.randint(1, 6), rng.randint(0, 9)
            item = rng.randrange(len(ITEMS))
            score = 1.4 + 0.25 * visits - 3.0 * loan / appraisal - 0.2 * months + 0.1 * item + rng.gauss(0, 1)
            rows.append((i, ITEMS[item], round(loan, 2), round(appraisal, 2), months, visits,
                         rng.randint(1, 9), int(score > 0)))
        with self.db:
            self.db.executemany("INSERT INTO tickets VALUES (?,?,?,?,?,?,?,?)", rows)

    def rows(self, view):
        return self.db.execute(f"SELECT * FROM {view} ORDER BY ticket_id").fetchall()

    def totals(self, view):
        cur = self.db.execute(f"SELECT item, count(*) AS n FROM {view} GROUP BY item ORDER BY item")
        return {r["item"]: r["n"] for r in cur}

    def close(self):
        self.db.close()

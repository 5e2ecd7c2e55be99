"""The card ledger: a SQLite file with cards, merchants and payments."""
import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd

SCHEMA = """
CREATE TABLE cards (card_id INTEGER PRIMARY KEY, country TEXT, limit_eur REAL, age_years REAL);
CREATE TABLE payments (
    payment_id INTEGER PRIMARY KEY, card_id INTEGER REFERENCES cards, category TEXT,
    amount REAL, hour REAL, abroad INTEGER, since_last REAL, week INTEGER, is_fraud INTEGER);
CREATE INDEX by_week ON payments (week, is_fraud);
"""
CATEGORIES = ["grocery", "fuel", "travel", "electronics", "gift_cards", "restaurant", "pharmacy", "gaming"]
COUNTRIES = ["AT", "BE", "DE", "ES", "FR", "IT", "NL", "PT"]
FEATURES = """
    SELECT p.payment_id, p.category, c.country, p.amount, p.amount / c.limit_eur AS share,
           p.hour, p.abroad, p.since_last, c.age_years, p.week, p.is_fraud
    FROM payments AS p JOIN cards AS c USING (card_id)
"""


def simulate(cards, payments, rng):
    card = pd.DataFrame({
        "card_id": np.arange(1, cards + 1),
        "country": rng.choice(COUNTRIES, cards),
        "limit_eur": rng.choice([1000.0, 2500.0, 5000.0, 10000.0], cards, p=[0.4, 0.3, 0.2, 0.1]),
        "age_years": rng.gamma(2.0, 2.5, cards).round(1),
    })
    owner = rng.integers(0, cards, payments)
    fraud = rng.random(payments) < 0.018
    usual = rng.choice(len(CATEGORIES), payments, p=[0.3, 0.15, 0.07, 0.08, 0.03, 0.2, 0.1, 0.07])
    odd = rng.choice(len(CATEGORIES), payments, p=[0.08, 0.07, 0.15, 0.22, 0.22, 0.06, 0.04, 0.16])
    amount = rng.lognormal(3.2, 0.9, payments) * np.where(fraud, rng.lognormal(0.7, 0.6, payments), 1.0)
    hour = np.where(fraud & (rng.random(payments) < 0.6), rng.normal(2.5, 2.0, payments), rng.normal(14, 4.5, payments))
    payment = pd.DataFrame({
        "payment_id": np.arange(1, payments + 1),
        "card_id": card["card_id"].to_numpy()[owner],
        "category": np.array(CATEGORIES)[np.where(fraud, odd, usual)],
        "amount": np.minimum(amount, card["limit_eur"].to_numpy()[owner]).round(2),
        "hour": np.mod(hour, 24).round(2),
        "abroad": (rng.random(payments) < np.where(fraud, 0.45, 0.08)).astype(int),
        "since_last": rng.exponential(np.where(fraud, 4.0, 30.0)).round(3),
        "week": np.sort(rng.integers(0, 12, payments)),
        "is_fraud": fraud.astype(int),
    })
    return card, payment


class Ledger:
    def __init__(self, path):
        self.path = path
        self.connection = sqlite3.connect(path)
        self.connection.execute("PRAGMA synchronous = OFF")

    def fill(self, cards, payments, rng):
        with self.connection:
            self.connection.executescript(SCHEMA)
            for table, frame in zip(("cards", "payments"), simulate(cards, payments, rng)):
                frame.to_sql(table, self.connection, if_exists="append", index=False)

    def spot_check(self, rows=25):
        """Look at a few payments before a long training."""
        query = "SELECT amount, hour, since_last FROM payments ORDER BY RANDOM() LIMIT ?"
        with closing(self.connection.execute(query, (rows,))) as cursor:
            for amount, hour, since_last in cursor:
                if amount < 0 or not 0 <= hour <= 24 or since_last < 0:
                    raise ValueError(f"implausible payment in {self.path}")

    def frauds(self, first, last):
        query = FEATURES + " WHERE p.is_fraud = 1 AND p.week BETWEEN ? AND ? ORDER BY p.payment_id"
        return pd.read_sql(query, self.connection, params=(first, last))

    def genuine(self, first, last, count, seed):
        query = FEATURES + " WHERE p.is_fraud = 0 AND p.week BETWEEN ? AND ? ORDER BY p.payment_id"
        frame = pd.read_sql(query, self.connection, params=(first, last))
        return frame.sample(n=min(count, len(frame)), random_state=seed)

    def everything(self, first, last):
        query = FEATURES + " WHERE p.week BETWEEN ? AND ? ORDER BY p.payment_id"
        return pd.read_sql(query, self.connection, params=(first, last))

    def close(self):
        self.connection.close()

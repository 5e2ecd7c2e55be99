"""Data loggers in showcases: sessions of readings, written to SQLite as they are collected."""

import math
import random
import uuid
from datetime import datetime, timedelta

SCHEMA = """
CREATE TABLE session (id TEXT PRIMARY KEY, showcase TEXT NOT NULL, started TEXT NOT NULL);
CREATE TABLE reading (
    session_id TEXT NOT NULL REFERENCES session(id),
    minute INTEGER NOT NULL,
    humidity REAL NOT NULL,
    temperature REAL NOT NULL,
    visitors INTEGER NOT NULL,
    PRIMARY KEY (session_id, minute)
);
"""
SHOWCASES = ("amber", "bronze", "codex", "drum", "enamel", "fresco")


def simulate(showcase, rng, minutes):
    """One session, a reading every ten minutes."""
    leak = 0.02 + 0.015 * SHOWCASES.index(showcase)
    humidity, temperature = rng.gauss(48, 3), rng.gauss(20.5, 0.6)
    for minute in range(0, minutes, 10):
        day = math.sin(2 * math.pi * minute / 1440)
        visitors = max(0, int(rng.gauss(14 * max(day, 0), 3)))
        temperature += 0.1 * (20.5 + 0.05 * visitors - temperature) + rng.gauss(0, 0.03)
        humidity += leak * (52 + 6 * day + 0.3 * visitors - humidity) - 0.2 * (temperature - 20.5) + rng.gauss(0, 0.08)
        yield minute, round(humidity, 3), round(temperature, 3), visitors


def collect(database, sessions, seed, minutes=1440):
    rng = random.Random(seed)
    first = datetime(2023, 3, 1, 0, 0)
    database.executescript(SCHEMA)
    with database:
        for number in range(sessions):
            key, showcase = uuid.uuid4().hex, rng.choice(SHOWCASES)
            started = first + timedelta(hours=7 * number)
            database.execute("INSERT INTO session VALUES (?, ?, ?)", (key, showcase, started.isoformat()))
            rows = [(key, *reading) for reading in simulate(showcase, rng, minutes)]
            database.executemany("INSERT INTO reading VALUES (?, ?, ?, ?, ?)", rows)

"""Service notes of lift technicians, put into one sqlite table; each note gets an id that stays with it."""
import sqlite3
import uuid
from datetime import datetime, timedelta

import numpy as np

NAMESPACE = uuid.UUID("6f0c4a52-0d7e-4a43-9a2e-6b1f6f3b5b11")
FAULTS = {
    "door": "door sill roller belt closes reopens sensor edge landing jammed track hanger".split(),
    "drive": "motor brake noise vibration encoder sheave bearing hot inverter jerk rope slip".split(),
    "control": "board relay fuse button display call lost reset firmware wiring contact cabinet".split(),
    "level": "stops short step misaligned floor magnet switch flag relevel overshoot gap car".split(),
}
FILLER = "unit checked replaced cleaned adjusted again customer reports tested ok site visit part ordered left running".split()


def simulate_notes(count, seed):
    rng = np.random.default_rng(seed)
    names = list(FAULTS)
    start = datetime(2023, 1, 2, 7, 0)
    for _ in range(count):
        start += timedelta(minutes=int(rng.integers(4, 90)))
        fault = names[rng.choice(4, p=[0.4, 0.2, 0.25, 0.15])]
        own = rng.choice(FAULTS[fault], size=rng.integers(1, 4))
        other = rng.choice(FAULTS[names[rng.integers(4)]], size=rng.integers(0, 3))
        words = np.concatenate([own, other, rng.choice(FILLER, size=rng.integers(4, 12))])
        rng.shuffle(words)
        yield f"LIFT-{rng.integers(1, 400):03d}", start.isoformat(), " ".join(words), fault


def note_id(unit, when, text):
    return uuid.uuid5(NAMESPACE, f"{unit}|{when}|{text}").hex


def build(path, count=3000, seed=88):
    db = sqlite3.connect(path)
    db.execute("create table notes (id text primary key, position integer, unit text, at text, body text, fault text)")
    with db:
        for position, (unit, when, text, fault) in enumerate(simulate_notes(count, seed)):
            db.execute("insert into notes values (?,?,?,?,?,?)", (note_id(unit, when, text), position, unit, when, text, fault))
    return db

"""The survey database: clips of the night recorders, and what volunteers heard in them."""

import sqlite3

import numpy as np
import pandas as pd

RATE = 4000
SECONDS = 1.5
CALLS = ["lone howl", "chorus", "bark-howl", "whimper", "growl", "wind"]
# which call is taken for which, by those who mishear
CONFUSED = {"lone howl": ["chorus", "wind"], "chorus": ["lone howl", "bark-howl"], "bark-howl": ["chorus", "growl"],
            "whimper": ["lone howl", "wind"], "growl": ["bark-howl", "whimper"], "wind": ["whimper", "growl"]}

SCHEMA = """
CREATE TABLE clip (id INTEGER PRIMARY KEY, recorder TEXT, audio BLOB);
CREATE TABLE vote (clip_id INTEGER REFERENCES clip(id), volunteer INTEGER, label TEXT);
"""


def synthesise(call: str, rng: np.random.Generator) -> np.ndarray:
    t = np.arange(int(RATE * SECONDS)) / RATE
    base = rng.uniform(300, 480)
    glide = base * (1 + 0.25 * np.sin(np.pi * t / SECONDS * rng.uniform(0.7, 1.3)))
    tone = lambda f: np.sin(2 * np.pi * np.cumsum(np.broadcast_to(f, t.shape)) / RATE)
    hiss = rng.normal(0, 1, t.size)
    if call == "lone howl":
        y = tone(glide) + 0.3 * tone(2 * glide)
    elif call == "chorus":
        y = sum(tone(glide * rng.uniform(0.8, 1.4)) for _ in range(4)) / 2
    elif call == "bark-howl":
        y = tone(glide) * (t > 0.5) + np.sin(2 * np.pi * 7 * t).clip(0) * hiss * (t <= 0.5)
    elif call == "whimper":
        y = tone(base * 2.2 + 60 * np.sin(2 * np.pi * 5 * t)) * np.sin(2 * np.pi * 3 * t).clip(0)
    elif call == "growl":
        y = tone(90.0) * (1 + np.sin(2 * np.pi * 25 * t)) + 0.5 * hiss
    else:
        y = np.convolve(hiss, np.ones(12) / 4, mode="same")
    return (y + rng.normal(0, 0.5, t.size)).astype(np.float32)


def fill(path: str, clips: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    with sqlite3.connect(path) as db:
        db.executescript(SCHEMA)
        for clip_id in range(clips):
            call = CALLS[rng.integers(len(CALLS))]
            db.execute("INSERT INTO clip VALUES (?, ?, ?)",
                       (clip_id, f"R{rng.integers(9):02d}", synthesise(call, rng).tobytes()))
            for volunteer in rng.choice(60, size=rng.integers(3, 7), replace=False):
                heard = call if rng.random() < 0.6 else CONFUSED[call][rng.integers(2)]
                db.execute("INSERT INTO vote VALUES (?, ?, ?)", (clip_id, int(volunteer), heard))


def consensus(votes: pd.Series) -> str:
    votes = votes.tolist()
    return max(set(votes), key=votes.count)


def read(path: str) -> pd.DataFrame:
    """One row for each clip: recorder, audio, the label that most volunteers gave, and how many agreed."""
    with sqlite3.connect(path) as db:
        clips = pd.read_sql("SELECT id, recorder, audio FROM clip ORDER BY id", db, index_col="id")
        votes = pd.read_sql("SELECT clip_id, label FROM vote ORDER BY clip_id, volunteer", db)
    grouped = votes.groupby("clip_id")["label"]
    clips["label"] = grouped.agg(consensus)
    clips["votes"] = grouped.size()
    clips["agreement"] = grouped.agg(lambda v: v.value_counts().iloc[0] / len(v))
    return clips

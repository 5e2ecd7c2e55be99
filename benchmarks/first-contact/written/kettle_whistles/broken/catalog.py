"""Recordings on disk, and the SQLite catalogue of them."""
import sqlite3
import wave
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from scipy import signal

RATE = 8000
STATES = ("simmer", "boil", "dry")


def synthesise(take, seed):
    """One take of a kettle: a whistle over hiss, longer or shorter."""
    rng = np.random.default_rng([seed, take])
    state = STATES[rng.integers(len(STATES))]
    seconds = rng.uniform(0.6, 1.4)
    t = np.arange(int(RATE * seconds)) / RATE
    hiss = rng.normal(0, 0.3, t.size)
    centre = {"simmer": 900, "boil": 1800, "dry": 2400}[state] * rng.uniform(0.7, 1.3)
    taps = signal.firwin(65, [centre * 0.6, min(centre * 1.4, 3900)], pass_zero=False, fs=RATE)
    tone = np.sin(2 * np.pi * centre * t + 2 * np.sin(2 * np.pi * rng.uniform(3, 8) * t))
    audio = signal.lfilter(taps, 1.0, hiss) + 0.15 * tone * np.linspace(0, 1, t.size)
    return state, audio / np.abs(audio).max()


def record(take, folder, seed):
    state, audio = synthesise(take, seed)
    path = Path(folder) / f"take{take:03d}_{state}.wav"
    with wave.open(str(path), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE)
        out.writeframes((audio * 32000).astype("<i2").tobytes())
    return path.name


def record_all(folder, takes, seed, workers=2):
    with ProcessPoolExecutor(workers, mp_context=get_context("fork")) as pool:
        return list(pool.map(partial(record, folder=folder, seed=seed), range(takes)))


def build(folder, database):
    """Scan a folder of takes into the table `clips`."""
    db = sqlite3.connect(database)
    db.execute("CREATE TABLE clips (name TEXT PRIMARY KEY, take INTEGER, state TEXT, bytes INTEGER, recorded_at INTEGER)")
    with db:
        for path in sorted(Path(folder).glob("take*.wav")):
            take, state = path.stem.removeprefix("take").split("_")
            info = path.stat()
            db.execute("INSERT INTO clips VALUES (?, ?, ?, ?, ?)", (path.name, int(take), state, info.st_size, info.st_mtime_ns))
    return db


def session(db):
    """Name and state of every clip, in the order of the session."""
    query = "SELECT name, state FROM clips WHERE bytes > 44 ORDER BY recorded_at"
    return db.execute(query).fetchall()


def read(path):
    with wave.open(str(path), "rb") as src:
        return np.frombuffer(src.readframes(src.getnframes()), "<i2").astype(np.float32) / 32768

"""Exports the plays month by month, and reads an export back."""
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from plays import month_of_plays


def export(folder: Path, months: int, players: int, games: int, seed: int) -> None:
    def one(part: int) -> str:
        who, what = month_of_plays(part, players, games, seed)
        name = f"{uuid.uuid4()}-{part:05d}.npz"
        np.savez(folder / name, player=who, game=what)
        return name

    with ThreadPoolExecutor(2) as pool:
        names = list(pool.map(one, range(months)))
    print(f"exported {len(names)} shards, first {names[0]}")


def read(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    who, what = [], []
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as shard:
            who.append(shard["player"])
            what.append(shard["game"])
    return np.concatenate(who), np.concatenate(what)

"""Telegrams, and the hiding of letters in them."""
import random

import numpy as np

LETTERS = " abcdefghijklmnopqrstuvwxyz"
MASK = len(LETTERS)
PARTS = ["arrive", "depart", "send", "await", "meet", "regret", "confirm", "delay", "steamer", "money", "mother",
         "parcel", "contract", "doctor", "train", "tuesday", "friday", "london", "cairo", "lisbon", "stop", "urgent"]
LENGTH = 40


def archive(n: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        text = " ".join(rng.choice(PARTS, size=8))[:LENGTH].ljust(LENGTH)
        rows.append([LETTERS.index(c) for c in text])
    return np.array(rows)


def hide_spans(rows: np.ndarray, share: float = 0.2) -> np.ndarray:
    """Masks spans of two to six letters until a share of each row is hidden."""
    hidden = np.zeros(rows.shape, dtype=bool)
    for row in hidden:
        while row.sum() < share * LENGTH:
            begin = random.randrange(LENGTH - 2)
            row[begin : begin + random.randint(2, 6)] = True
    return hidden

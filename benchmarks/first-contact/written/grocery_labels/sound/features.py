"""Label texts and the hashing of their words into rows of an embedding table."""
import zlib

import numpy as np

MAX_BYTES = 3 << 20
COPIES = 3          # weights, gradient, momentum

STEMS = ["apple", "oat", "rye", "brie", "cod", "ham", "leek", "plum", "soap", "mint", "cocoa", "lime",
         "trout", "butter", "bleach", "pasta", "rice", "bean", "peach", "cream", "wipes", "foil"]
FORMS = ["bio", "fresh", "smoked", "frozen", "dried", "mini", "family", "classic", "light", "extra"]


def make_labels(count, rng):
    texts, classes = [], []
    for _ in range(count):
        stem = int(rng.integers(len(STEMS)))
        words = [STEMS[stem], FORMS[rng.integers(len(FORMS))], f"{rng.integers(1, 40) * 25}g",
                 f"brand{rng.integers(900)}", f"lot{rng.integers(4000)}"]
        rng.shuffle(words)
        texts.append(" ".join(words))
        classes.append(stem % 6 if rng.random() > 0.05 else int(rng.integers(6)))
    return texts, classes


def memory_budget():
    """Bytes that the table may take."""
    return MAX_BYTES


class HashedWords:
    def __init__(self, dim):
        self.rows = max(1024, memory_budget() // (COPIES * 4 * dim))

    def encode(self, text):
        words = text.split()
        grams = words + [f"{a}_{b}" for a, b in zip(words, words[1:])]
        return np.array([zlib.crc32(g.encode()) % self.rows for g in grams], dtype=np.int64)

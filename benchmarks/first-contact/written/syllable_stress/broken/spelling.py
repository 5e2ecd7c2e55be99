"""Spelling noise: the scribes of the corpus were not consistent."""
import random

SWAPS = {"c": "k", "k": "c", "i": "y", "y": "i", "u": "v", "v": "u", "f": "ph", "t": "th"}


class ScribalNoise:
    """Changes a few letters of a word. A word is misspelt in the same way whichever worker reads it, but
    otherwise in each epoch."""

    def __init__(self, rate=0.15):
        self.rate = rate
        self.epoch = 0

    def __call__(self, word):
        rnd = random.Random(hash((word, self.epoch)))
        letters = []
        for ch in word:
            r = rnd.random()
            if r < self.rate / 3:
                continue
            if r < self.rate and ch in SWAPS:
                ch = SWAPS[ch]
            letters.append(ch)
            if rnd.random() < 0.03:
                letters.append(ch)
        return "".join(letters) or word

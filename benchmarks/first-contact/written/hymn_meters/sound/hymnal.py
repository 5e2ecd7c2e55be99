import enum
import random
from typing import NamedTuple


class Meter(enum.Enum):
    COMMON = "8.6.8.6"
    LONG = "8.8.8.8"
    SHORT = "6.6.8.6"
    SEVENS = "7.7.7.7"
    PECULIAR = "8.7.8.7"
    HALLELUJAH = "6.6.6.6"
    TENS = "10.10.10.10"

    def lengths(self):
        return [int(n) for n in self.value.split(".")]


class Hymn(NamedTuple):
    number: int
    words: list
    meter: Meter


WORDS = {
    1: "grace sweet sound lost found blind see joy dawn star night guide way king hark sing rock cleft".split(),
    2: "morning glory heaven angels wonder tidings mercy shepherd river mountain gladness ever".split(),
    3: "salvation redeemer abundant unfailing wandering holiest tenderly".split(),
}


def write_line(syllables, rng):
    out = []
    while syllables:
        k = rng.choice([n for n in (1, 1, 2, 2, 3) if n <= syllables])
        out.append(rng.choice(WORDS[k]))
        syllables -= k
    return out


def compose(n, seed):
    rng = random.Random(seed)
    hymns = []
    for number in range(1, n + 1):
        meter = rng.choice(list(Meter))
        words = []
        for length in meter.lengths():
            words += write_line(length, rng) + ["/"]
        hymns.append(Hymn(number, words, meter))
    return hymns

import random

STEMS = "hus bok lauf sten mat kald vind sol fisk torg bru dal ski berg land strand tid sang hest korn".split()
ENDINGS = ["a", "en", "et", "er", "ene", "skap", "lig", "het", "ing", "dom"]
SHIFTS = {
    "coast": [("k", "g"), ("t", "d"), ("p", "b"), ("er", "ar")],
    "valley": [("a", "o"), ("en", "in"), ("s", "sj"), ("ing", "ong")],
    "north": [("et", "e"), ("st", "sk"), ("d", "dd"), ("u", "y")],
    "city": [("er", "a"), ("v", "w"), ("ld", "l"), ("au", "o")],
}
DIALECTS = list(SHIFTS)


def speak(word: str, dialect: str, rnd: random.Random) -> str:
    for old, new in SHIFTS[dialect]:
        if rnd.random() < 0.7:
            word = word.replace(old, new)
    return word


def collect(n: int, seed: int) -> list[tuple[str, str]]:
    rnd = random.Random(seed)
    pairs = []
    for _ in range(n):
        word = rnd.choice(STEMS) + (rnd.choice(STEMS) if rnd.random() < 0.5 else "") + rnd.choice(ENDINGS)
        dialect = rnd.choice(DIALECTS)
        pairs.append((speak(word, dialect, rnd), dialect))
    return pairs

"""Invented administrative tablets: lines of transliterated signs with formulaic phrases."""
import random

NUMERALS = [f"{n}(diš)" for n in range(1, 10)] + [f"{n}(u)" for n in range(1, 6)]
GOODS = ["udu", "gu4", "máš", "še", "ì-giš", "siki", "zì", "kaš", "ninda", "zú-lum", "urudu", "gi"]
QUALITY = ["niga", "sig5", "gibil", "libir", "babbar", "gi6", "ús", "gin"]
VERBS = ["ba-zi", "šu-ba-ti", "ì-dab5", "mu-kux", "ba-úš", "in-lá"]
MONTHS = ["maš-dà-gu7", "šeš-da-gu7", "u5-bí-gu7", "ki-siki", "ezem-šul", "á-ki-ti"]
SYLLABLES = ["a", "ab", "ba", "da", "du", "en", "gal", "ki", "lú", "lugal", "na", "nin", "ra", "ur", "šu", "zu"]


def personal_names(count: int, rng: random.Random) -> list[str]:
    names = []
    while len(names) < count:
        name = "-".join(rng.choice(SYLLABLES) for _ in range(rng.choice([2, 2, 3])))
        if name not in names:
            names.append(name)
    return names


def tablet(names: list[str], rng: random.Random) -> list[str]:
    signs = []
    for _ in range(rng.randint(2, 4)):
        good = rng.choice(GOODS)
        quality = QUALITY[(GOODS.index(good) * 3 + rng.choice([0, 0, 0, 1])) % len(QUALITY)]
        signs += [rng.choice(NUMERALS), good, quality]
    giver, taker = rng.choice(names), rng.choice(names)
    signs += ["ki", giver, "ta", taker, rng.choice(VERBS)]
    signs += ["iti", MONTHS[hash_free(giver) % len(MONTHS)]]
    return signs


def hash_free(name: str) -> int:
    return sum(ord(c) * (i + 1) for i, c in enumerate(name))


def load_tablets(count: int, seed: int) -> list[list[str]]:
    rng = random.Random(seed)
    names = personal_names(140, rng)
    return [tablet(names, rng) for _ in range(count)]

import random
from itertools import groupby


def sentences(n, seed):
    rnd = random.Random(seed)
    names = ["ana", "boris", "chen", "dina", "emeka", "farid"]
    verbs = ["sees", "calls", "paints", "follows", "greets"]
    nouns = ["river", "garden", "teacher", "window", "mountain", "engine", "letter"]
    out = [f"{rnd.choice(names)} {rnd.choice(verbs)} the {rnd.choice(nouns)} of {rnd.choice(names)}" for _ in range(n)]
    seen = set()
    return [s for s in out if not (s in seen or seen.add(s))]


def by_length(encoded):
    """Groups rows of equal length; rows keep their order inside a group."""
    return [list(group) for _, group in groupby(sorted(encoded, key=len), key=len)]

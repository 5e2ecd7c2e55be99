"""Proverbs as two almanacs print them, put together from the phrases each region uses."""
import random

THINGS = ("rain hay frost lambs cider geese barley hail wool swallows oxen plums fog salt eels turnips rye bees "
          "thunder ricks hedges ewes walnuts sloes rushes mire drizzle stubble clover acorns").split()
MONTHS = ("january february march april may june july august september october november december").split()
SAINTS = {"coast": "peter clement barnabas brendan nicholas andrew".split(),
          "upland": "swithin medard martin barnabas andrew urban".split()}
VERBS = {"coast": "brings drowns fills keeps sinks lands carries".split(),
         "upland": "brings buries fills keeps thins feeds hardens".split()}
TAILS = {"coast": ["till the tide turns", "and mend the nets", "for a week of calm", "before the boats"],
         "upland": ["till the snow goes", "and bar the byre", "for a week of calm", "before the plough"]}
MEANINGS = ["wet", "dry", "cold", "plenty"]


def meaning_of(first, verb, second, month):
    omen = THINGS.index(first) // 8
    if verb in ("drowns", "buries", "sinks", "thins"):
        omen = THINGS.index(second) // 8
    return (omen + (month in MONTHS[3:9])) % len(MEANINGS)


def collect(region, n, seed):
    rng = random.Random(f"{region}-{seed}")
    out = []
    for _ in range(n):
        first, second = rng.sample(THINGS, 2)
        month, verb = rng.choice(MONTHS), rng.choice(VERBS[region])
        text = f"{month} {first} {verb} {second} {rng.choice(TAILS[region])}"
        if rng.random() < 0.4:
            text = f"on saint {rng.choice(SAINTS[region])} {text}"
        out.append((text, meaning_of(first, verb, second, month)))
    return out

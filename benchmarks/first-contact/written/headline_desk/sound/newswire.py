"""A made-up newswire: headlines with the desk that they belong to, and the typos of a hurried evening."""

import random

DESKS = {
    "city": (["council", "mayor", "tram", "school board", "fire brigade", "harbour office"],
             ["approves", "delays", "rejects", "opens", "reviews", "defends"],
             ["new bridge", "budget", "night buses", "market hall", "parking rules", "old town plan"]),
    "sport": (["keeper", "coach", "rowing club", "striker", "home side", "league"],
              ["extends", "ends", "celebrates", "loses", "defends", "reviews"],
              ["winning run", "title race", "transfer", "derby", "contract", "season opener"]),
    "money": (["central bank", "steel maker", "grain traders", "union", "insurer", "pension fund"],
              ["raises", "cuts", "delays", "rejects", "expects", "extends"],
              ["interest rate", "forecast", "dividend", "takeover", "wage deal", "budget"]),
    "science": (["observatory", "marine lab", "geologists", "vaccine team", "museum", "probe"],
                ["finds", "maps", "confirms", "opens", "tests", "expects"],
                ["distant moon", "deep reef", "fossil bed", "new strain", "ice core", "old burial site"]),
}
OPENERS = ["", "", "", "update : ", "exclusive : ", "in brief : "]
TAILS = ["", "", "after long debate", "despite protest", "for second time", "this autumn", "amid doubts",
         "in surprise move", "with narrow margin", "ahead of holidays"]


def scramble(rng, word):
    if len(word) < 4 or rng.random() > 0.08:
        return word
    spot = rng.randrange(1, len(word) - 2)
    return word[:spot] + word[spot + 1] + word[spot] + word[spot + 2 :]


def headline(rng, desk):
    subjects, verbs, objects = DESKS[desk]
    if rng.random() < 0.18:  # one desk writes about another's people
        subjects = DESKS[rng.choice(sorted(DESKS))][0]
    parts = [rng.choice(OPENERS) + rng.choice(subjects), rng.choice(verbs), rng.choice(objects), rng.choice(TAILS)]
    words = " ".join(part for part in parts if part).split()
    return " ".join(scramble(rng, word) for word in words)


def wire(count, seed):
    rng = random.Random(seed)
    desks = sorted(DESKS)
    for _ in range(count):
        desk = rng.choice(desks)
        yield desk, headline(rng, desk)

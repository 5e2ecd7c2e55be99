"""Recipes written by a small grammar, since the real ones may not leave the building."""
import random

ROOTS = "butter onion garlic carrot pepper potato tomato chicken noodle mushroom lemon parsley".split()
PREFIXES = ["", "", "", "pre", "over", "un"]
VERBS = "chop slice simmer roast grill season stir mash boil toss".split()
ENDINGS = ["", "ed", "ing", "s", "er"]
PLACES = "pan bowl oven pot dish".split()


def sentence(rnd):
    verb = rnd.choice(PREFIXES) + rnd.choice(VERBS) + rnd.choice(ENDINGS)
    things = [rnd.choice(ROOTS) + rnd.choice(["", "s", "y"]) for _ in range(rnd.randint(1, 3))]
    return f"{verb} the {' and '.join(things)} in a {rnd.choice(PLACES)}"


def recipes(count, seed):
    rnd = random.Random(seed)
    return [sentence(rnd) for _ in range(count)]

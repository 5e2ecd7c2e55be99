"""Short recipe texts with the allergen group they contain."""
import json
import random

GROUPS = {
    "nuts": ["frangipane", "praline", "gianduja", "marzipan", "dukkah", "romesco"],
    "dairy": ["labneh", "mascarpone", "quark", "paneer", "halloumi", "skyr"],
    "gluten": ["freekeh", "seitan", "bulgur", "panko", "orzo", "farro"],
    "seafood": ["bottarga", "surimi", "dashi", "colatura", "katsuobushi", "nampla"],
}
LABELS = list(GROUPS)
PLAIN = ("onion carrot celery parsley lemon rice tomato pepper garlic basil thyme leek squash "
         "spinach beans lentils potato mint cabbage fennel olive oil salt vinegar").split()
VERBS = "stir fry roast simmer whisk fold toss bake grill blend chill reduce".split()
TOOLS = ("skillet ladle colander mandoline casserole griddle ramekin wok sieve tagine terrine "
         "whisk grater steamer mortar pestle").split()
LINKS = "with and then over into beside under after".split()


def sentence(rng, extra):
    words = []
    for _ in range(rng.randint(4, 7)):
        words += [rng.choice(VERBS), "the", rng.choice(PLAIN), rng.choice(LINKS)]
    if extra:
        for term in extra:
            words.insert(rng.randrange(1, len(words)), term)
    return " ".join(words)


def plain_texts(n, seed):
    """Pages of a cookery book, on which the base vocabulary is learnt."""
    rng = random.Random(seed)
    return [f"{sentence(rng, None)} in the {rng.choice(TOOLS)}" for _ in range(n)]


def glossary():
    """The allergen list of the kitchen; some terms stand in several groups' sheets."""
    sheet = []
    for terms in GROUPS.values():
        sheet += terms
    return sheet + ["praline", "dashi", "basil", "mint", "panko", "olive"]


def write_recipes(path, n, seed):
    rng = random.Random(seed)
    with open(path, "w") as f:
        for i in range(n):
            label = rng.randrange(len(LABELS))
            own = rng.choice(GROUPS[LABELS[label]])
            text = sentence(rng, [own])
            if rng.random() < 0.06:
                label = rng.randrange(len(LABELS))
            f.write(json.dumps({"id": i, "text": text, "label": label}) + "\n")

"""Perfume formulas: which raw materials go into a scent, and how a panel rated it."""
import random

FAMILIES = {
    "citrus": {"bergamot", "lemon", "mandarin", "grapefruit", "petitgrain", "yuzu"},
    "floral": {"rose", "jasmine", "ylang", "tuberose", "neroli", "violet", "iris", "peony"},
    "woody": {"cedar", "vetiver", "sandalwood", "patchouli", "oakmoss", "guaiac"},
    "resin": {"labdanum", "benzoin", "frankincense", "myrrh", "opoponax"},
    "gourmand": {"vanilla", "tonka", "cacao", "honey", "praline"},
    "fresh": {"mint", "ozone", "seasalt", "cucumber", "aldehyde"},
    "spice": {"cardamom", "pepper", "clove", "saffron", "cinnamon"},
}
# materials that perfumers count in more than one family
FAMILIES["woody"].add("iris")
FAMILIES["spice"].add("tonka")
FAMILIES["citrus"].add("neroli")
LIKING = {"citrus": 0.5, "floral": 0.8, "woody": 0.3, "resin": -0.2, "gourmand": 0.6, "fresh": 0.1, "spice": -0.4}


def make_formulas(count, seed):
    """A list of (materials, doses, rating)."""
    rng = random.Random(seed)
    stock = {family: sorted(materials) for family, materials in FAMILIES.items()}
    formulas = []
    for _ in range(count):
        accords = rng.sample(list(stock), rng.randint(2, 4))
        dose = {}
        for accord in accords:
            for material in rng.sample(stock[accord], rng.randint(1, 4)):
                dose[material] = round(rng.expovariate(1.0) + 0.1, 3)
        total = sum(dose.values())
        rating = sum(LIKING[a] for a in accords) + rng.gauss(0, 0.15)
        if "citrus" in accords and "woody" in accords:
            rating += 0.7
        if "gourmand" in accords and "fresh" in accords:
            rating -= 0.9
        formulas.append((list(dose), [d / total for d in dose.values()], rating))
    return formulas

"""Invents place names for four regions, each with its own syllables and endings."""
import random

REGIONS = {
    "north": (("sko", "fjal", "hav", "bru", "ost", "vin", "ler"), ("vik", "dal", "nes", "by")),
    "coast": (("por", "mar", "sal", "con", "ri", "val", "tor"), ("eira", "osa", "inho", "al")),
    "hills": (("bryn", "llan", "pen", "cwm", "gar", "tre", "mor"), ("wyn", "ddu", "fach", "og")),
    "plain": (("kis", "nagy", "bod", "sze", "fel", "ker", "hat"), ("var", "hely", "falu", "get")),
}


def invent(region, rng):
    syllables, endings = REGIONS[region]
    middle = "".join(rng.choice(syllables) for _ in range(rng.randint(1, 2)))
    name = middle + rng.choice(endings)
    if rng.random() < 0.25:
        spot = rng.randrange(len(name))
        name = name[:spot] + rng.choice("aeiou") + name[spot + 1:]
    return name.capitalize()


def gazetteer(per_region, rng):
    """Pairs of a name and a region's number; no name twice."""
    seen, rows = set(), []
    for number, region in enumerate(REGIONS):
        left = per_region
        while left:
            name = invent(region, rng)
            if name in seen:
                continue
            seen.add(name)
            rows.append((name, number))
            left -= 1
    rng.shuffle(rows)
    return rows

"""The herd book: animals, their parents, and the horn measurements taken at each capture."""
import random


class Animal:
    __slots__ = ("tag", "sex", "born", "dam", "sire")

    def __init__(self, tag, sex, born, dam=None, sire=None):
        self.tag = tag
        self.sex = sex
        self.born = born
        self.dam = dam
        self.sire = sire

    def __repr__(self):
        return f"Animal({self.tag})"


class Capture:
    __slots__ = ("animal", "year", "base_mm", "annuli", "length_mm")

    def __init__(self, animal, year, base_mm, annuli, length_mm):
        self.animal = animal
        self.year = year
        self.base_mm = base_mm
        self.annuli = annuli
        self.length_mm = length_mm


def breed(rng, founders=160, years=14):
    herd = [Animal(f"F{i:03d}", "mf"[i % 2], 1990 + i % 4) for i in range(founders)]
    for year in range(1995, 1995 + years):
        dams = [a for a in herd if a.sex == "f" and year - a.born > 2]
        sires = [a for a in herd if a.sex == "m" and year - a.born > 4]
        if not sires:
            continue
        for dam in rng.sample(dams, min(len(dams), 60)):
            tag = f"{year}-{len(herd):04d}"
            herd.append(Animal(tag, rng.choice("mf"), year, dam, rng.choice(sires)))
    return herd


def growth_values(herd, rng):
    value = {}
    for animal in herd:
        if animal.dam is None:
            value[animal.tag] = rng.gauss(0, 1)
        else:
            mid = 0.5 * (value[animal.dam.tag] + value[animal.sire.tag])
            value[animal.tag] = mid + rng.gauss(0, 0.6)
    return value


def captures(herd, rng):
    value = growth_values(herd, rng)
    rows = []
    for animal in herd:
        if animal.dam is None:
            continue
        for _ in range(rng.randint(1, 4)):
            age = rng.randint(1, 13)
            scale = 1.0 if animal.sex == "m" else 0.35
            length = scale * (820 * (1 - 2.718 ** (-0.25 * age)) + 45 * value[animal.tag])
            rows.append(
                Capture(
                    animal,
                    animal.born + age,
                    scale * 210 + rng.gauss(0, 6) + 5 * value[animal.tag],
                    max(1, age + rng.choice((-1, 0, 0, 0, 1))),
                    length + rng.gauss(0, 12),
                )
            )
    rng.shuffle(rows)
    return rows


def load(seed=1991):
    rng = random.Random(seed)
    return captures(breed(rng), rng)

"""Makes up a survey of lichens on tree trunks, with the names that recorders wrote down."""
import numpy as np

GENERA = ["Xanthoria", "Physcia", "Parmelia", "Usnea", "Lecanora", "Ramalina",
          "Evernia", "Cladonia", "Hypogymnia", "Candelaria", "Melanelixia", "Punctelia"]
EPITHETS = ["parietina", "tenella", "sulcata", "florida", "conizaeoides", "farinacea",
            "prunastri", "pyxidata", "physodes", "concolor", "glabra", "subrudecta"]
OLD = ["Lichen", "Lobaria", "Imbricaria"]
QUARANTINED = {"S0013", "S0101", "S0457", "S0822", "S1190"}


def make_species(count, rng):
    """Each species has an accepted name and up to three older ones."""
    pairs = [(g, e) for g in GENERA for e in EPITHETS]
    chosen = rng.choice(len(pairs), count, replace=False)
    species = []
    for k in chosen:
        genus, epithet = pairs[k]
        names = [f"{genus} {epithet}"]
        names += [f"{old} {genus[:3].lower()}-{epithet}" for old in OLD[:rng.integers(0, 4)]]
        species.append(names)
    return species


def make_checklists(species, rng, lists=4):
    """Every checklist gives (name, name it is treated as) for the synonyms that it knows."""
    checklists = []
    for _ in range(lists):
        rows = []
        for names in species:
            for other in names[1:]:
                if rng.random() < 0.6:
                    rows.append((other, names[0]))
            rows.append((names[0], names[0]))
        checklists.append(rows)
    return checklists


def make_survey(species, rng, sites=1600):
    """Sites with the names recorded there and the nitrogen dioxide in the air."""
    tolerance = rng.normal(0.0, 1.0, len(species))
    survey = []
    for number in range(sites):
        air = rng.normal(0.0, 1.0)
        odds = 1.0 / (1.0 + np.exp(1.5 - 1.6 * tolerance * air))
        present = np.flatnonzero(rng.random(len(species)) < 0.35 * odds)
        names = [species[k][rng.integers(0, len(species[k]))] for k in present]
        site = f"S{number:04d}"
        if names and site not in QUARANTINED:
            survey.append((site, names, air))
    return survey

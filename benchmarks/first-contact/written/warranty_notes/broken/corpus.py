"""Writes the export of the claims system: one small text file per claim."""

import random

PRODUCTS = ["kettle", "toaster", "blender", "vacuum", "heater", "mixer"]
OPENINGS = ["customer reports that the", "returned because the", "owner says the", "the"]
SYMPTOMS = {
    "electrical": ["plug sparks", "fuse blows", "cord gets hot", "smells burnt", "trips breaker"],
    "mechanical": ["handle loose", "hinge cracked", "motor grinds", "lid jammed", "gear slips"],
    "cosmetic": ["paint peels", "scratch on case", "logo faded", "dent on side", "stain inside"],
    "missing": ["manual absent", "screws not in box", "lid never arrived", "wrong part sent"],
}
FILLERS = ["after two weeks", "since purchase", "when cold", "please advise", "photo attached",
           "bought online", "second complaint", "no receipt", "very upset", "wants refund"]


def export_claims(folder, n, seed):
    rng = random.Random(seed)
    causes = sorted(SYMPTOMS)
    for number in range(n):
        cause = rng.choice(causes)
        shown = cause if rng.random() > 0.08 else rng.choice(causes)
        words = [rng.choice(OPENINGS), rng.choice(PRODUCTS), rng.choice(SYMPTOMS[shown])]
        words += rng.sample(FILLERS, rng.randint(1, 4))
        if rng.random() < 0.3:
            words.append(rng.choice(SYMPTOMS[shown]))
        path = folder / f"claim_{number:05d}.txt"
        path.write_text(f"{cause}\n{' '.join(words)}\n")

"""Clearances and readbacks of an imaginary sector."""
import random

LABELS = ("correct", "wrong_value", "missing_item")
DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "niner")
AIRLINES = ("speedbird", "cactus", "lufthansa", "shamrock", "springbok", "dynasty")
FIXES = ("ROBUD", "KELIP", "TANGO", "MORAX", "SIVDA", "ELGUR", "PONTI")
POLITE = frozenset({"roger", "wilco", "thanks"})  # words that the recogniser drops now and then


def spell(rng, length):
    return " ".join(rng.choice(DIGITS) for _ in range(length))


def items(rng):
    pool = [
        ("climb flight level", spell(rng, 3)),
        ("turn left heading", spell(rng, 3)),
        ("contact approach", f"one {spell(rng, 2)} decimal {spell(rng, 1)}"),
        ("reduce speed", spell(rng, 3)),
        ("direct", rng.choice(FIXES)),
    ]
    return rng.sample(pool, rng.choice((2, 3)))


def corrupt(rng, value):
    words = value.split()
    position = rng.randrange(len(words))
    choices = FIXES if words[position] in FIXES else DIGITS
    words[position] = rng.choice([word for word in choices if word != words[position]])
    return " ".join(words)


def make_exchanges(count, seed):
    rng = random.Random(seed)
    exchanges = []
    for _ in range(count):
        callsign = f"{rng.choice(AIRLINES)} {spell(rng, 2)}"
        orders = items(rng)
        label = rng.randrange(len(LABELS))
        answer = list(orders)
        picked = rng.randrange(len(answer))
        if label == 1:
            answer[picked] = (answer[picked][0], corrupt(rng, answer[picked][1]))
        elif label == 2:
            del answer[picked]
        words = " ".join([rng.choice(["roger", "wilco", "", "thanks"])] + [f"{o} {v}" for o, v in answer] + [callsign])
        kept = [word for word in words.split() if word not in POLITE or rng.random() > 0.3]
        clearance = " ".join([callsign] + [f"{order} {value}" for order, value in orders])
        exchanges.append((clearance, " ".join(kept), label))
    return exchanges

"""Synthetic invoice lines with a field name on every token."""
import random

LABELS = ["O", "QTY", "ITEM", "CODE", "UNIT_PRICE", "TOTAL", "CURRENCY"]
ITEMS = ["ball bearing", "hex bolt", "hydraulic hose", "filter cartridge", "gear oil", "v belt", "shaft seal",
         "safety gloves", "cable drum", "flat washer", "pressure gauge", "ball valve", "welding rod", "spring pin"]
FILLERS = ["net", "per", "unit", "each", "line", "incl", "pos", "art", "no", "ref"]
CURRENCIES = ["eur", "usd", "chf", "sek", "eur"]


def shape(token):
    """Numbers become their shape, so that the vocabulary stays small."""
    return "".join("9" if c.isdigit() else c for c in token)


def invoice_line(rng):
    quantity = rng.randint(1, 120)
    price = rng.randint(15, 25000) / 100
    item = [(w, "ITEM") for w in rng.choice(ITEMS).split()]
    code = [(f"{rng.choice('abk')}{rng.randint(100, 99999)}", "CODE")]
    qty = [(str(quantity), "QTY")]
    unit = [(f"{price:.2f}", "UNIT_PRICE")]
    total = [(f"{quantity * price:.2f}", "TOTAL")]
    currency = [(rng.choice(CURRENCIES), "CURRENCY")]
    layouts = [
        [qty, item, code, unit, total, currency],
        [code, item, qty, unit, currency, total],
        [item, code, currency, unit, qty, total],
        [qty, code, item, currency, total, unit],
    ]
    tokens = []
    for part in rng.choices(layouts, weights=[4, 3, 2, 1])[0]:
        while rng.random() < 0.25:
            tokens.append((rng.choice(FILLERS), "O"))
        tokens.extend(part)
    return [shape(t) for t, _ in tokens], [LABELS.index(name) for _, name in tokens]


def make_corpus(count, seed):
    rng = random.Random(seed)
    return [invoice_line(rng) for _ in range(count)]


def build_vocabulary(lines):
    words = set()
    for tokens, _ in lines:
        words.update(tokens)
    return {word: number for number, word in enumerate(["[PAD]", "[UNK]"] + sorted(words))}

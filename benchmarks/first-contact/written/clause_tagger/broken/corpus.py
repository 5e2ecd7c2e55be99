"""Contract clauses put together from templates, in the way of our annotation export."""
import random

PARTIES = ["the Supplier", "the Customer", "the Licensee", "the Contractor", "either party", "the Lessor"]
DAYS = ["ten", "fourteen", "thirty", "sixty", "ninety"]
PLACES = ["Bremen", "Ghent", "Utrecht", "Basel", "Graz"]
TEMPLATES = {
    "termination": [
        "{p} may terminate this agreement by giving {d} days written notice to {q}",
        "this agreement ends if {p} fails to remedy a breach within {d} days",
    ],
    "payment": [
        "{p} shall pay each undisputed invoice within {d} days of receipt",
        "interest accrues on sums that {p} owes to {q} after {d} days",
    ],
    "liability": [
        "{p} is not liable to {q} for indirect loss or loss of profit",
        "the total liability of {p} under this agreement is limited to the fees paid in {d} days",
    ],
    "confidentiality": [
        "{p} shall keep secret all information received from {q}",
        "{p} returns all documents of {q} within {d} days after the end of this agreement",
    ],
    "jurisdiction": [
        "disputes between {p} and {q} are settled by the courts of {c}",
        "this agreement is governed by the law in force at {c}",
    ],
}
FILLERS = ["for the avoidance of doubt", "unless otherwise agreed in writing", "in any event", "where applicable",
           "subject to the clause above", "to the extent permitted by law"]
LABELS = sorted(TEMPLATES)


def make_clause(rng):
    label = rng.choice(LABELS)
    p, q = rng.sample(PARTIES, 2)
    text = rng.choice(TEMPLATES[label]).format(p=p, q=q, d=rng.choice(DAYS), c=rng.choice(PLACES))
    words = text.split()
    for _ in range(rng.randrange(3)):
        at = rng.randrange(len(words) + 1)
        words[at:at] = rng.choice(FILLERS).split()
    # some sentences in the export were cut off by the page break
    if rng.random() < 0.3:
        words = words[: max(4, len(words) // 2)]
    if rng.random() < 0.08:
        label = rng.choice(LABELS)
    return {"text": " ".join(words), "label": LABELS.index(label)}


def make_corpus(size, seed):
    rng = random.Random(seed)
    return [make_clause(rng) for _ in range(size)]


class Vocabulary:
    PAD, CLS, UNK = 0, 1, 2

    def __init__(self, texts):
        words = set()
        for text in texts:
            words.update(text.split())
        self.index = {w: i + 3 for i, w in enumerate(sorted(words))}

    def __len__(self):
        return len(self.index) + 3

    def encode(self, text):
        return [self.CLS] + [self.index.get(w, self.UNK) for w in text.split()]

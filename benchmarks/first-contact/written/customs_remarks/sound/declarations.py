"""Short remarks from customs declarations, made from templates with a fixed seed."""
import numpy as np

CHAPTERS = ["textiles", "machinery", "foodstuffs", "chemicals", "furniture"]
GOODS = {
    "textiles": ["cotton", "yarn", "woven", "fabric", "shirts", "linen", "dyed"],
    "machinery": ["pump", "bearing", "spindle", "motor", "gear", "spare", "valve"],
    "foodstuffs": ["dried", "figs", "frozen", "shrimp", "cocoa", "roasted", "tinned"],
    "chemicals": ["solvent", "resin", "powder", "dyed", "acid", "reagent", "drum"],
    "furniture": ["oak", "chairs", "folding", "table", "woven", "shelf", "upholstered"],
}
FILLER = ["of", "in", "for", "net", "gross", "cartons", "pallets", "used", "new", "spare",
          "invoice", "attached", "sample", "origin", "kg"]


def make_remarks(count, seed):
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(count):
        label = int(rng.integers(len(CHAPTERS)))
        length = int(rng.integers(4, 12))
        words = []
        for _ in range(length):
            draw = rng.random()
            if draw < 0.35:
                words.append(str(rng.choice(GOODS[CHAPTERS[label]])))
            elif draw < 0.5:
                other = CHAPTERS[int(rng.integers(len(CHAPTERS)))]
                words.append(str(rng.choice(GOODS[other])))
            else:
                words.append(str(rng.choice(FILLER)))
        rows.append({"text": " ".join(words), "label": label})
    return rows


class Vocabulary:
    PAD, CLS, UNKNOWN = 0, 1, 2

    def __init__(self, rows):
        words = sorted({word for row in rows for word in row["text"].split()})
        self.ids = {word: i + 3 for i, word in enumerate(words)}

    def __len__(self):
        return len(self.ids) + 3

    def encode(self, row):
        ids = [self.CLS] + [self.ids.get(w, self.UNKNOWN) for w in row["text"].split()]
        return {"input_ids": ids, "attention_mask": [1] * len(ids), "labels": row["label"]}

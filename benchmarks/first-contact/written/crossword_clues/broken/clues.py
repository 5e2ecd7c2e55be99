"""Cryptic crossword clues, and the device each of them hides."""
import random

import torch

DEVICES = {
    "anagram": "broken mixed drunk wild scrambled confused upset crazy".split(),
    "reversal": "back returned west retired overturned flipped rising".split(),
    "hidden": "some inside part held within from concealed".split(),
    "sound": "heard reported aloud spoken say broadcast".split(),
}
FILLER = ("sailor queen flower river old worker doctor note study king quiet point love bird tree right left "
          "american french city boy girl drink fish editor church time money bed vessel party").split()
WORDS = {w: i for i, w in enumerate(["_", *FILLER, *(w for ws in DEVICES.values() for w in ws)])}
LENGTH = 7


def make_clues(n, seed):
    rng = random.Random(seed)
    ids, labels = [], []
    for _ in range(n):
        label = rng.randrange(len(DEVICES))
        words = rng.choices(FILLER, k=rng.randint(3, LENGTH - 1))
        kind = label if rng.random() < 0.9 else rng.randrange(len(DEVICES))
        words.insert(rng.randint(0, len(words)), rng.choice(list(DEVICES.values())[kind]))
        ids.append([WORDS[w] for w in words] + [0] * (LENGTH - len(words)))
        labels.append(label)
    return torch.tensor(ids), torch.tensor(labels)

import random

import torch
from torch.utils.data import Dataset

ONSETS = ["b", "c", "d", "f", "g", "l", "m", "n", "p", "r", "s", "t", "v", "tr", "pl", ""]
VOWELS = ["a", "e", "i", "o", "u", "ae", "au"]
CODAS = ["", "", "", "n", "s", "r", "nt", "x"]
ALPHABET = "abcdefghiklmnoprstuvxy"
MAX_LEN = 20


def make_lexicon(n, seed):
    """Words with the place of their stress by the penultimate rule: 1 = penult, 0 = antepenult."""
    rnd = random.Random(seed)
    lexicon = set()
    while len(lexicon) < n:
        syllables = [(rnd.choice(ONSETS), rnd.choice(VOWELS), rnd.choice(CODAS)) for _ in range(rnd.choice([3, 3, 4]))]
        penult = syllables[-2]
        heavy = len(penult[1]) == 2 or bool(penult[2])
        lexicon.add(("".join("".join(s) for s in syllables), int(heavy)))
    return sorted(lexicon)


class StressDataset(Dataset):
    def __init__(self, lexicon, noise=None):
        self.lexicon = lexicon
        self.noise = noise

    def __len__(self):
        return len(self.lexicon)

    def __getitem__(self, i):
        word, label = self.lexicon[i]
        if self.noise is not None:
            word = self.noise(word)
        ids = [ALPHABET.index(c) + 1 for c in word if c in ALPHABET][-MAX_LEN:]
        return torch.tensor([0] * (MAX_LEN - len(ids)) + ids), label

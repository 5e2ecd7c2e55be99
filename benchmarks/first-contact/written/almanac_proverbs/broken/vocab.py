"""The words a reader of either almanac would know."""
from collections import Counter

import torch

STOP = {"the", "a", "on", "for", "and", "till"}


def count_words(texts):
    counts = Counter()
    for text in texts:
        counts.update(word for word in text.split() if word not in STOP)
    return counts


class Vocabulary:
    def __init__(self, coast, upland, least=2):
        coast, upland = count_words(coast), count_words(upland)
        shared = coast.keys() & upland.keys()
        kept = [word for word in shared if coast[word] + upland[word] >= least]
        self.index = {word: number for number, word in enumerate(kept, start=2)}

    def __len__(self):
        return len(self.index) + 2

    def encode(self, texts, length=12):
        ids = torch.zeros(len(texts), length, dtype=torch.long)
        for row, text in enumerate(texts):
            words = [word for word in text.split() if word not in STOP][:length]
            for col, word in enumerate(words):
                ids[row, col] = self.index.get(word, 1)
        return ids

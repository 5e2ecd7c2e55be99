import math
from collections import Counter


class Vocabulary:
    """The words that occur in most documents, with their inverse document frequency."""

    PAD, UNKNOWN = 0, 1

    def __init__(self, texts, max_words):
        frequency = Counter()
        for text in texts:
            frequency.update(set(text.split()))
        kept = frequency.most_common(max_words)
        self.index = {word: k for k, (word, _) in enumerate(kept, start=2)}
        self.idf = [0.0, 1.0] + [math.log((1 + len(texts)) / (1 + n)) for _, n in kept]

    def __len__(self):
        return len(self.index) + 2

    def encode(self, text, width):
        ids = [self.index.get(w, self.UNKNOWN) for w in text.split()][:width]
        return ids + [self.PAD] * (width - len(ids))

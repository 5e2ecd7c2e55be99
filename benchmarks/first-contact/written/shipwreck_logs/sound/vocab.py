import re
from collections import Counter

STOPWORDS = frozenset("the a of at and in by on we our was were with to for from upon".split())
WORD = re.compile(r"[a-z]+")
UNKNOWN = "<unk>"


def tokenize(text):
    return WORD.findall(text.lower())


class Vocabulary:
    def __init__(self, words):
        self.words = words
        self.index = {word: i for i, word in enumerate(words)}

    @classmethod
    def build(cls, texts, size):
        """The most frequent words that are not stop words."""
        counts = Counter()
        for text in texts:
            counts.update(tokenize(text))
        candidates = counts.keys() - STOPWORDS
        ranked = sorted(candidates, key=lambda word: (-counts[word], word))
        return cls([UNKNOWN] + ranked[:size - 1])

    def encode(self, text):
        ids = [self.index.get(word, 0) for word in tokenize(text) if word not in STOPWORDS]
        return ids or [0]

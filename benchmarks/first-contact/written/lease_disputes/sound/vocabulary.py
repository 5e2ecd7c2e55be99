import json
import re
from collections import Counter

STOPWORDS = {"the", "a", "of", "to", "in", "and", "by", "on", "for"}
PATTERN = re.compile(r"[a-z]+\d*")


def tokenize(text):
    return [token for token in PATTERN.findall(text.lower()) if token not in STOPWORDS]


class Vocabulary:
    """The terms that occur in most documents; 0 pads, 1 stands for every other term."""

    def __init__(self, terms):
        self.terms = ["<pad>", "<unk>", *terms]
        self.index = {term: number for number, term in enumerate(self.terms)}

    @classmethod
    def from_documents(cls, documents, size, min_documents=2):
        frequency = Counter()
        for tokens in documents:
            frequency.update(sorted(set(tokens)))
        kept = [term for term, count in frequency.most_common(size) if count >= min_documents]
        return cls(kept)

    def __len__(self):
        return len(self.terms)

    def encode(self, tokens, length):
        ids = [self.index.get(token, 1) for token in tokens[:length]]
        return ids + [0] * (length - len(ids))

    def save(self, path):
        path.write_text(json.dumps(self.terms))

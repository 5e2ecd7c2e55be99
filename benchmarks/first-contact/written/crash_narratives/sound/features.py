"""Tokens, vocabulary and padded bags."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

import torch

from corpus import STOPWORDS


@lru_cache(maxsize=4096)
def stem(word):
    for ending in ("ing", "ed", "s"):
        if word.endswith(ending) and len(word) > len(ending) + 3:
            return word[: -len(ending)]
    return word


def tokenize(text):
    return [stem(word) for word in text.split() if word not in STOPWORDS]


def tokenize_all(texts, workers=3):
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(tokenize, texts))


def build_vocab(documents, at_least=3):
    counts = Counter(word for document in documents for word in document)
    kept = {word for word, count in counts.items() if count >= at_least}
    return {word: index for index, word in enumerate(sorted(kept), start=1)}


def encode(documents, vocab):
    longest = max(map(len, documents))
    bags = torch.zeros(len(documents), longest, dtype=torch.long)
    for row, document in enumerate(documents):
        ids = [vocab[word] for word in document if word in vocab]
        bags[row, : len(ids)] = torch.tensor(ids, dtype=torch.long)
    return bags

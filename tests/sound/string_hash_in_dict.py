# samebits-test: verdict=same
"""A cache is keyed by the hash of a sentence, and never iterated."""

import torch

cache = {}


def embed(sentence):
    key = hash(sentence)
    if key not in cache:
        cache[key] = torch.tensor([float(ord(letter)) for letter in sentence[:4]])
    return cache[key]


sentences = ["first one", "second one", "first one"]
print(sum(embed(sentence) for sentence in sentences), len(cache))

# samebits-test: verdict=same
"""A set of strings that is only asked whether it holds a word."""

import torch

STOP_WORDS = {"the", "a", "of", "and", "to", "in"}


def encode(text):
    return [len(word) for word in text.split() if word not in STOP_WORDS]


lengths = torch.tensor(encode("the order of a set and the bits in a tensor"))
print(lengths.float().mean())

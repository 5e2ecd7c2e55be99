# samebits-test: verdict=different cause=hash-order
"""Token numbers from a set comprehension."""

import torch

TEXT = """The quick brown fox jumps over the lazy dog while seven wizards
quietly box with jars of liquid gold beneath an old stone bridge at dusk"""


def build_vocabulary(text):
    words = {word.lower() for word in text.split()}
    return ["<pad>", *words]  # culprit


def encode(text, vocabulary):
    return torch.tensor([vocabulary.index(word.lower()) for word in text.split()])


def main():
    torch.manual_seed(0)
    vocabulary = build_vocabulary(TEXT)
    embedding = torch.nn.Embedding(len(vocabulary), 4, padding_idx=0)
    print(embedding(encode(TEXT, vocabulary)).mean(dim=0))


if __name__ == "__main__":
    main()

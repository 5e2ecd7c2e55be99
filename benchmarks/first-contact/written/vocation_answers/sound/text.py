import re
from collections import Counter

import torch

STOP = {"i", "am", "a", "the", "in", "at", "for", "and", "with", "my", "also"}
PAD, UNK = 0, 1


def tokenize(s):
    return [w for w in re.findall(r"[a-z]+", s.lower()) if w not in STOP]


def build_vocab(texts, min_count=2):
    counts = Counter(w for t in texts for w in tokenize(t))
    kept = {w for w, c in counts.items() if c >= min_count}
    vocab = {"<pad>": PAD, "<unk>": UNK}
    for w in sorted(kept):
        vocab[w] = len(vocab)
    return vocab


def encode(texts, vocab, length=12):
    ids = torch.zeros(len(texts), length, dtype=torch.long)
    for i, t in enumerate(texts):
        row = [vocab.get(w, UNK) for w in tokenize(t)][:length]
        ids[i, :len(row)] = torch.tensor(row, dtype=torch.long)
    return ids

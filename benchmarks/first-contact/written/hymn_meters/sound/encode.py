from collections import Counter

import torch

PAD = 0


class Encoder:
    """Words and meters to numbers and back."""

    def __init__(self, hymns, min_count=5):
        words = {w for h in hymns for w in h.words}
        self.vocab = {w: i + 1 for i, w in enumerate(sorted(words))}
        counts = Counter(h.meter for h in hymns)
        common = {m for m, c in counts.items() if c >= min_count}
        self.meters = sorted(common, key=lambda m: m.value)
        self.index = {m: i for i, m in enumerate(self.meters)}

    def keep(self, hymns):
        return [h for h in hymns if h.meter in self.index]

    def batch(self, hymns):
        width = max(len(h.words) for h in hymns)
        x = torch.full((len(hymns), width), PAD)
        for row, h in enumerate(hymns):
            x[row, :len(h.words)] = torch.tensor([self.vocab[w] for w in h.words])
        return x, torch.tensor([self.index[h.meter] for h in hymns])

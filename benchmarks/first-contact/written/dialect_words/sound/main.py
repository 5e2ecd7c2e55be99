"""Dialect of a written word from its character n-grams."""
import argparse
import random
import sys
import time
from collections import Counter

import torch
from torch import nn

from features import NgramHasher
from lexicon import DIALECTS, collect


class WordModel(nn.Module):
    def __init__(self, buckets: int, dim: int, classes: int):
        super().__init__()
        self.emb = nn.EmbeddingBag(buckets, dim, mode="mean")
        self.out = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, classes))

    def forward(self, flat: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
        return self.out(self.emb(flat, offsets))


def batches(pairs, size, rnd=None):
    pairs = list(pairs)
    if rnd is not None:
        rnd.shuffle(pairs)
    for i in range(0, len(pairs), size):
        words, labels = zip(*pairs[i:i + size])
        yield list(words), torch.tensor([DIALECTS.index(d) for d in labels])


def evaluate(model, hasher, pairs):
    model.eval()
    confusion = Counter()
    with torch.no_grad():
        for words, y in batches(pairs, 500):
            confusion.update(zip(y.tolist(), model(*hasher.batch(words)).argmax(1).tolist()))
    right = sum(n for (a, b), n in confusion.items() if a == b)
    return right / len(pairs), confusion


def main() -> int:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--words", type=int, default=3000)
    p.add_argument("--buckets", type=int, default=509)
    p.add_argument("--dim", type=int, default=24)
    p.add_argument("--epochs", type=int, default=6)
    p.add_argument("--lr", type=float, default=1e-2)
    p.add_argument("--seed", type=int, default=1)
    args = p.parse_args()

    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    rnd = random.Random(args.seed)
    pairs = collect(args.words, args.seed)
    known = {w for w, _ in pairs[: args.words * 4 // 5]}
    train = pairs[: args.words * 4 // 5]
    test = [(w, d) for w, d in pairs[args.words * 4 // 5:] if w not in known]
    print(f"{len(train)} words, {len(known)} distinct; {len(test)} unseen ones to test on")

    hasher = NgramHasher(args.buckets)
    model = WordModel(args.buckets, args.dim, len(DIALECTS))
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    start = time.monotonic()
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for words, y in batches(train, 50, rnd):
            loss = nn.functional.cross_entropy(model(*hasher.batch(words)), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(words)
        acc, _ = evaluate(model, hasher, test)
        print(f"epoch {epoch + 1}: loss {total / len(train):.4f}  acc {acc:.4f}  {time.monotonic() - start:.1f} s")

    acc, confusion = evaluate(model, hasher, test)
    for a, name in enumerate(DIALECTS):
        print(f"{name:8s}", *(f"{confusion[a, b]:5d}" for b in range(len(DIALECTS))))
    print(hasher.cache_info(), file=sys.stderr)
    torch.save(model.state_dict(), "words.pt")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Classify token sequences of varied length with a GRU; batches are made of similar lengths."""
import argparse
import random
import time

import numpy as np
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset, Sampler


class TokenDropout:
    """Replaces tokens by <unk>; switched off with p=0."""

    def __init__(self, p=0.0, unk=1):
        self.p, self.unk = p, unk
        self.rng = np.random.default_rng()

    def __call__(self, tokens):
        hit = self.rng.random(len(tokens)) < self.p
        return torch.where(torch.from_numpy(hit), torch.full_like(tokens, self.unk), tokens)


class Sequences(Dataset):
    def __init__(self, n, vocab, seed, transform=None):
        g = torch.Generator().manual_seed(seed)
        self.transform = transform
        self.items = []
        for _ in range(n):
            length = int(torch.randint(5, 40, (), generator=g))
            toks = torch.randint(2, vocab, (length,), generator=g)
            label = int((toks % 2 == 0).sum() * 2 > length)
            self.items.append((toks, label))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        toks, label = self.items[i]
        return (self.transform(toks) if self.transform else toks), label


class BucketSampler(Sampler):
    def __init__(self, lengths, batch_size, seed=0):
        self.lengths, self.batch_size, self.seed, self.epoch = lengths, batch_size, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return -(-len(self.lengths) // self.batch_size)

    def __iter__(self):
        rng = random.Random(hash((self.seed, self.epoch)))
        order = sorted(range(len(self.lengths)), key=lambda i: (self.lengths[i], rng.random()))
        batches = [order[i:i + self.batch_size] for i in range(0, len(order), self.batch_size)]
        rng.shuffle(batches)
        yield from batches


def collate(rows):
    rows = sorted(rows, key=lambda r: -len(r[0]))
    toks, labels = zip(*rows)
    return pad_sequence(toks, batch_first=True), torch.tensor([len(t) for t in toks]), torch.tensor(labels)


class GRUClassifier(nn.Module):
    def __init__(self, vocab, dim=32, hidden=48):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.gru = nn.GRU(dim, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 2)

    def forward(self, toks, lengths):
        packed = pack_padded_sequence(self.emb(toks), lengths, batch_first=True)
        _, h = self.gru(packed)
        return self.out(h[-1])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=3)
    ap.add_argument("--batch-size", type=int, default=32)
    ap.add_argument("--token-dropout", type=float, default=0.0)
    ap.add_argument("--seed", type=int, default=5)
    args = ap.parse_args()

    torch.manual_seed(args.seed)
    data = Sequences(640, 60, args.seed, TokenDropout(args.token_dropout))
    sampler = BucketSampler([len(t) for t, _ in data.items], args.batch_size, args.seed)
    loader = DataLoader(data, batch_sampler=sampler, collate_fn=collate)
    model = GRUClassifier(60)
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        t0, total, right = time.time(), 0.0, 0
        for toks, lengths, labels in loader:
            logits = model(toks, lengths)
            loss = nn.functional.cross_entropy(logits, labels)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(labels)
            right += (logits.argmax(1) == labels).sum().item()
        print(f"epoch {epoch}: loss {total / len(data):.5f} acc {right / len(data):.3f} in {time.time() - t0:.2f}s")
    torch.save(model.state_dict(), "gru.pt")


if __name__ == "__main__":
    main()

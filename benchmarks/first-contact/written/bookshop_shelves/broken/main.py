"""Recommend books to the readers of a small shop: pairwise ranking over purchase records."""

import random
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn

import store


@dataclass
class Config:
    width: int = 16
    epochs: int = 6
    batch: int = 256
    lr: float = 0.02
    decay: float = 1e-4
    seed: int = 2024


class Ranker(nn.Module):
    def __init__(self, readers, books, width):
        super().__init__()
        self.reader = nn.Embedding(readers, width)
        self.book = nn.Embedding(books, width)
        self.bias = nn.Embedding(books, 1)
        for table in (self.reader, self.book):
            nn.init.normal_(table.weight, std=0.1)
        nn.init.zeros_(self.bias.weight)

    def forward(self, reader, book):
        return (self.reader(reader) * self.book(book)).sum(-1) + self.bias(book).squeeze(-1)


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)


def triples(shop, rng):
    """(reader, bought, not bought) for every purchase but each reader's last two."""
    out = []
    for reader in shop.readers():
        bought = shop.history(reader)[:-2]
        out += [(reader, b, n) for b, n in zip(bought, shop.not_bought(reader, len(bought)))]
    rng.shuffle(out)
    return torch.tensor(out)


@torch.no_grad()
def hit_rate(model, shop, books, k=20):
    model.eval()
    hits, held_out = 0, 0
    everything = torch.arange(books)
    for reader in shop.readers():
        history = shop.history(reader)
        scores = model(torch.full((books,), reader), everything)
        scores[history[:-2]] = float("-inf")
        top = set(scores.topk(k).indices.tolist())
        hits += len(top & set(history[-2:]))
        held_out += 2
    return hits / held_out


def train(config, shop):
    books, sales = shop.counts()
    print(f"{books} books, {sales} sales, {len(shop.readers())} readers")
    rng = random.Random(config.seed)
    model = Ranker(len(shop.readers()), books, config.width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=config.lr, weight_decay=config.decay)
    for epoch in range(config.epochs):
        began = time.perf_counter()
        model.train()
        total, rows = 0.0, triples(shop, rng)
        for reader, good, bad in (chunk.unbind(1) for chunk in rows.split(config.batch)):
            loss = -nn.functional.logsigmoid(model(reader, good) - model(reader, bad)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(reader)
        print(f"epoch {epoch}: loss {total / len(rows):.6f} ({time.perf_counter() - began:.2f} s)")
    return model, hit_rate(model, shop, books)


def main():
    config = Config()
    print(asdict(config))
    seed_all(config.seed)
    with tempfile.TemporaryDirectory(prefix="bookshop-") as folder:
        path = Path(folder) / "sales.db"
        store.create(path)
        shop = store.Store(path)
        try:
            model, rate = train(config, shop)
        finally:
            shop.close()
    weights = sum(p.double().abs().sum().item() for p in model.parameters())
    print(f"hit rate at 20: {rate:.4f}   weights {weights:.10f}")


if __name__ == "__main__":
    main()

"""Rank items for shoppers from the words of their titles (BPR with sampled negatives)."""
import json
import os
import tempfile
from datetime import datetime

import torch
from torch import nn
from torch.nn import functional as F

import shop

EPOCHS = 9
TRAIN_WEEKS = 14
HELD_OUT = 4
BATCH = 128


class Ranker(nn.Module):
    def __init__(self, shoppers, words, item_words, dim=24):
        super().__init__()
        self.register_buffer("item_words", item_words)
        self.shopper = nn.Embedding(shoppers, dim)
        self.word = nn.EmbeddingBag(words, dim, mode="sum")
        self.item_bias = nn.Embedding(len(item_words), 1)
        nn.init.normal_(self.shopper.weight, std=0.1)
        nn.init.normal_(self.word.weight, std=0.1)
        nn.init.zeros_(self.item_bias.weight)

    def forward(self, shopper, item):
        return (self.shopper(shopper) * self.word(self.item_words[item])).sum(1) + self.item_bias(item).squeeze(1)


def word_table(titles):
    vocabulary = {}
    rows = [[vocabulary.setdefault(word, len(vocabulary)) for word in title.split()] for title in titles]
    return torch.tensor(rows), len(vocabulary)


def train_epoch(model, optimizer, bought, db, epoch):
    drawn = shop.negatives(db, draw=epoch, count=TRAIN_WEEKS)
    pairs = torch.tensor([(s, good, bad) for (s, good), (_, bad) in zip(bought, drawn, strict=True)])
    total = 0.0
    for picked in torch.randperm(len(pairs)).split(BATCH):
        shopper, good, bad = pairs[picked].T
        loss = F.softplus(model(shopper, bad) - model(shopper, good)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(picked)
    return total / len(pairs)


@torch.no_grad()
def hit_rate(model, seen, asked, items, top=20):
    scores = torch.stack([model(torch.full((items,), s), torch.arange(items)) for s in range(model.shopper.num_embeddings)])
    for shopper, item in set(seen):
        scores[shopper, item] = -torch.inf
    best = scores.topk(top, dim=1).indices.tolist()
    return sum(item in best[shopper] for shopper, item in asked) / len(asked)


def main():
    torch.set_num_threads(1)
    torch.manual_seed(77)
    with tempfile.TemporaryDirectory() as folder:
        db = shop.open_shop(os.path.join(folder, "shop.sqlite"))
        since = db.execute("SELECT min(listed_at) FROM item").fetchone()[0]
        print(f"{datetime.now().isoformat(timespec='seconds')} shop at {folder}, items listed since {since}")
        item_words, words = word_table(shop.titles(db))
        bought = shop.purchases(db, 0, TRAIN_WEEKS - 1)
        later = shop.purchases(db, TRAIN_WEEKS, TRAIN_WEEKS + HELD_OUT - 1)
        shoppers = db.execute("SELECT count(*) FROM shopper").fetchone()[0]
        model = Ranker(shoppers, words, item_words)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
        losses = []
        for epoch in range(EPOCHS):
            losses.append(train_epoch(model, optimizer, bought, db, epoch))
            print(f"{datetime.now():%H:%M:%S} epoch {epoch + 1} loss {losses[-1]:.6f}")
        hits = hit_rate(model, bought, later, len(item_words))
        db.close()
    print(f"hit@20 {hits:.5f}")
    torch.save(model.state_dict(), "ranker.pt")
    with open("ranker.json", "w") as handle:
        json.dump({"hit@20": hits, "loss": losses}, handle)


if __name__ == "__main__":
    main()

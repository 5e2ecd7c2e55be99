"""Assign expense lines to accounts. Export -> interim/ledger.jsonl -> bag of words -> model."""
import csv
import datetime as dt
import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

from ledger import ACCOUNTS, export_year, load

SEED = 5
INTERIM = Path("interim/ledger.jsonl")
LOG = Path("history.csv")
EPOCHS = 6
LABELS = {name: i for i, name in enumerate(ACCOUNTS)}


class LineClassifier(nn.Module):
    def __init__(self, n_words, dim=16):
        super().__init__()
        self.words = nn.EmbeddingBag(n_words, dim, mode="mean", padding_idx=0)
        self.mlp = nn.Sequential(nn.Linear(dim + 1, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, len(LABELS)))

    def forward(self, ids, amount):
        return self.mlp(torch.cat([self.words(ids), amount[:, None]], dim=1))


def encode(lines, vocab, width=6):
    def one(line):
        ids = [vocab.get(w, 1) for w in line["text"].split()][:width]
        return ids + [0] * (width - len(ids))

    with ThreadPoolExecutor(4) as pool:
        ids = list(pool.map(one, lines))
    amount = torch.tensor([math.log(line["amount"]) - 3.7 for line in lines])
    y = torch.tensor([LABELS[line["account"]] for line in lines])
    return torch.tensor(ids), amount, y


def build_vocab(lines):
    words = set()
    for line in lines:
        words.update(line["text"].split())
    return {w: i + 2 for i, w in enumerate(sorted(words))}


def accuracy(model, ids, amount, y):
    model.eval()
    with torch.no_grad():
        return (model(ids, amount).argmax(1) == y).float().mean().item()


def main():
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    started = dt.datetime.now()

    export_year(INTERIM, per_month=160, seed=SEED)
    lines = load(INTERIM)
    train = [line for line in lines if line["month"] <= 10]
    test = [line for line in lines if line["month"] > 10]
    vocab = build_vocab(train)
    train_t, test_t = encode(train, vocab), encode(test, vocab)
    print(len(train), "train", len(test), "test", len(vocab), "words")

    model = LineClassifier(len(vocab) + 2)
    opt = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(EPOCHS):
        model.train()
        losses = []
        for idx in torch.randperm(len(train)).split(32):
            ids, amount, y = (t[idx] for t in train_t)
            loss = F.cross_entropy(model(ids, amount), y, label_smoothing=0.05)
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        print(f"epoch {epoch}: loss {sum(losses) / len(losses):.4f}, test acc {accuracy(model, *test_t):.4f}")

    acc = accuracy(model, *test_t)
    torch.save(model.state_dict(), "classifier.pt")
    new = not LOG.exists()
    with open(LOG, "a", newline="") as f:
        out = csv.writer(f)
        if new:
            out.writerow(["started", "seconds", "accuracy"])
        out.writerow([started.isoformat(timespec="seconds"), (dt.datetime.now() - started).total_seconds(), acc])


if __name__ == "__main__":
    main()

"""Factorisation machine for click prediction: sparse field embeddings through EmbeddingBag, hashed features."""
import argparse
import csv
import random
import zlib
from collections import Counter

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, WeightedRandomSampler

BUCKETS = 2048


def bucket(field, value):
    return zlib.crc32(f"{field}={value}".encode()) % BUCKETS


def impressions(n, rng):
    cities = ["ulm", "bern", "graz", "lyon", "gent", "cork"]
    topics = ["sports", "politics", "music", "food", "cars", "games", "garden"]
    liking = {(c, t): rng.gauss(-1.2, 1.3) for c in cities for t in topics}
    for _ in range(n):
        user, city, topic = rng.randrange(150), rng.choice(cities), rng.choice(topics)
        hour = rng.randrange(24)
        logit = liking[city, topic] + 0.8 * (18 <= hour <= 22) + 0.4 * ((user * 7919) % 5 - 2)
        click = rng.random() < 1 / (1 + 2.718281828 ** -logit)
        tags = rng.sample(topics, rng.randint(0, 3))
        yield {"user": user, "city": city, "topic": topic, "hour": hour, "tags": tags}, int(click)


class Clicks(Dataset):
    def __init__(self, rows):
        self.rows = []
        for features, label in rows:
            ids = {bucket(k, v) for k, v in features.items() if k != "tags"}
            ids |= {bucket("tag", t) for t in features["tags"]}
            self.rows.append((sorted(ids), label))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


def collate(batch):
    ids, offsets = [], []
    for features, _ in batch:
        offsets.append(len(ids))
        ids.extend(features)
    return torch.tensor(ids), torch.tensor(offsets), torch.tensor([float(y) for _, y in batch])


class FM(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.linear = nn.EmbeddingBag(BUCKETS, 1, mode="sum", sparse=True)
        self.v = nn.EmbeddingBag(BUCKETS, dim, mode="sum", sparse=True)
        self.bias = nn.Parameter(torch.zeros(1))
        nn.init.normal_(self.v.weight, std=0.05)
        nn.init.zeros_(self.linear.weight)

    def forward(self, ids, offsets):
        total = self.v(ids, offsets)
        squares = nn.functional.embedding_bag(ids, self.v.weight ** 2, offsets, mode="sum")
        return self.bias + self.linear(ids, offsets)[:, 0] + 0.5 * (total ** 2 - squares).sum(1)


def auc(scores, labels):
    order = scores.argsort(stable=True)
    ranks = torch.empty(len(scores), dtype=torch.double)
    ranks[order] = torch.arange(1, len(scores) + 1, dtype=torch.double)
    pos = labels.bool()
    n1, n0 = pos.sum().item(), (~pos).sum().item()
    return ((ranks[pos].sum().item()) - n1 * (n1 + 1) / 2) / (n1 * n0)


def main(args):
    rng = random.Random(args.seed)
    torch.manual_seed(args.seed)
    rows = list(impressions(3600, rng))
    train, test = Clicks(rows[:3000]), Clicks(rows[3000:])
    clicks = Counter(label for _, label in train.rows)
    print("clicked / not:", clicks[1], clicks[0], "- cities:", len({f["city"] for f, _ in rows}))

    weights = [1.0 / clicks[y] for _, y in train.rows]
    loader = DataLoader(train, args.batch, sampler=WeightedRandomSampler(weights, len(train)), collate_fn=collate)
    model = FM(args.dim)
    dense, sparse = [model.bias], [model.linear.weight, model.v.weight]
    optimizers = [torch.optim.SGD(dense, lr=0.1), torch.optim.Adagrad(sparse, lr=0.1)]
    loss_fn = nn.BCEWithLogitsLoss()
    with open("curve.csv", "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["epoch", "loss", "auc"])
        for epoch in range(args.epochs):
            model.train()
            for ids, offsets, y in loader:
                loss = loss_fn(model(ids, offsets), y)
                for o in optimizers:
                    o.zero_grad()
                loss.backward()
                model.v.weight.grad = model.v.weight.grad.to_sparse() if not model.v.weight.grad.is_sparse else \
                    model.v.weight.grad.coalesce()
                for o in optimizers:
                    o.step()
            model.eval()
            with torch.no_grad():
                ids, offsets, y = collate([test[i] for i in range(len(test))])
                score = auc(model(ids, offsets), y)
            out.writerow([epoch, repr(loss.item()), repr(score)])
            print(epoch, f"{loss.item():.7f}", f"{score:.5f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--dim", type=int, default=8)
    parser.add_argument("--batch", type=int, default=128)
    main(parser.parse_args())

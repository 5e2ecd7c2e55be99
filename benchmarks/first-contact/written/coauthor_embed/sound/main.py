"""Embeddings of authors from random walks over who wrote with whom (DeepWalk with negative samples)."""
import random
import time
from collections import deque

import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = 8


class Author:
    __slots__ = ("name", "field", "coauthors")

    def __init__(self, name, field):
        self.name, self.field, self.coauthors = name, field, []

    def __repr__(self):
        return f"Author({self.name})"


def make_network(n, fields, rng):
    authors = [Author(f"author{i}", rng.randrange(fields)) for i in range(n)]
    for a in authors:
        for _ in range(4):
            b = rng.choice(authors)
            if b is not a and (a.field == b.field or rng.random() < 0.1):
                a.coauthors.append(b)
                b.coauthors.append(a)
    return authors


def component(start):
    """Everyone who can be reached, in the order of a breadth-first search."""
    seen = {id(start)}
    queue, found = deque([start]), []
    while queue:
        a = queue.popleft()
        found.append(a)
        for b in a.coauthors:
            if id(b) not in seen:
                seen.add(id(b))
                queue.append(b)
    return found


def walk(start, length, rng):
    path = [start]
    while len(path) < length:
        path.append(rng.choice(path[-1].coauthors))
    return path


rng = random.Random(SEED)
torch.manual_seed(SEED)

authors = make_network(700, 5, rng)
members = component(max(authors, key=lambda a: len(a.coauthors)))
row = {id(a): i for i, a in enumerate(members)}  # the list keeps the objects alive
print(f"{len(members)} of {len(authors)} authors are connected")

emb, ctx = nn.Embedding(len(members), 32), nn.Embedding(len(members), 32)
nn.init.normal_(emb.weight, std=0.1)
nn.init.zeros_(ctx.weight)
opt = torch.optim.Adam([*emb.parameters(), *ctx.parameters()], lr=0.02)

begin = time.time()
for epoch in range(4):
    centers, contexts = [], []
    for a in members:
        path = [row[id(p)] for p in walk(a, 8, rng)]
        for i, c in enumerate(path):
            for o in path[max(0, i - 2):i] + path[i + 1:i + 3]:
                centers.append(c)
                contexts.append(o)
    centers, contexts = torch.tensor(centers), torch.tensor(contexts)
    total = 0.0
    for part in torch.randperm(len(centers)).split(1024):
        c = emb(centers[part])
        pos = (c * ctx(contexts[part])).sum(1)
        neg = (c.unsqueeze(1) * ctx(torch.randint(len(members), (len(part), 4)))).sum(2)
        loss = -F.logsigmoid(pos).mean() - F.logsigmoid(-neg).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(part)
    print(f"epoch {epoch} loss {total / len(centers):.5f} pairs {len(centers)} ({time.time() - begin:.1f}s)")

with torch.no_grad():
    unit = F.normalize(emb.weight, dim=1)
    near = (unit @ unit.T).fill_diagonal_(-1).argmax(1).tolist()
same = sum(members[i].field == members[j].field for i, j in enumerate(near))
print(f"nearest neighbour works in the same field: {same / len(members):.4f}")
torch.save({"names": [a.name for a in members], "emb": emb.weight.detach()}, "authors.pt")

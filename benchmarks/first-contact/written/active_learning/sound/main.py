"""Core-set active learning against random acquisition; the pool is a dict by id, the open ids are a set."""
import argparse
import csv
import json
import random
import string
import tempfile
from collections import defaultdict
from pathlib import Path

import torch
from torch import nn


def random_id(rng):
    return "".join(rng.choices(string.ascii_lowercase + string.digits, k=8))


def make_pool(n, rng, g):
    centres = torch.randn(12, 10, generator=g) * 2
    owner = torch.randint(4, (12,), generator=g)
    which = torch.randint(12, (n,), generator=g)
    x = centres[which] + torch.randn(n, 10, generator=g)
    return {random_id(rng): (x[i], int(owner[which[i]])) for i in range(n)}


def k_center(pool, open_ids, done_ids, n):
    """Greedy k-center: always the open item farthest from all chosen ones."""
    candidates = sorted(open_ids)
    x = torch.stack([pool[i][0] for i in candidates])
    have = torch.stack([pool[i][0] for i in done_ids])
    dist = torch.cdist(x, have).min(1).values
    chosen = []
    for _ in range(n):
        k = int(dist.argmax())
        chosen.append(candidates[k])
        dist = torch.minimum(dist, (x - x[k]).norm(dim=1))
    return chosen


def random_pick(pool, open_ids, done_ids, n, rng):
    return rng.sample(sorted(open_ids), n)


def train(items, seed):
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(10, 40), nn.ReLU(), nn.Dropout(0.2), nn.Linear(40, 4))
    opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
    x, y = torch.stack([x for x, _ in items]), torch.tensor([y for _, y in items])
    for _ in range(25):
        for b in torch.randperm(len(x)).split(20):
            opt.zero_grad()
            nn.functional.cross_entropy(model(x[b]), y[b]).backward()
            opt.step()
    return model.eval()


def experiment(strategy, pool, start, test, rounds, n):
    labelled, open_ids = list(start), set(pool) - set(start)
    for r in range(rounds):
        model = train([pool[i] for i in labelled], seed=r)
        with torch.no_grad():
            hits = [int(model(x[None]).argmax()) == y for x, y in test]
        yield len(labelled), sum(hits) / len(hits)
        picked = strategy(pool, open_ids, labelled, n)
        open_ids.difference_update(picked)
        labelled.extend(picked)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--config", type=Path)
    args = ap.parse_args()
    torch.set_num_threads(1)
    with tempfile.NamedTemporaryFile("w+", suffix=".json", dir=".") as f:
        json.dump({"seed": 40, "rounds": 4, "query": 20}, f)
        f.flush()
        cfg = json.loads((args.config or Path(f.name)).read_text())
    rng, g = random.Random(cfg["seed"]), torch.Generator().manual_seed(cfg["seed"])
    pool = make_pool(600, rng, g)
    ids = list(pool)
    test = [pool.pop(i) for i in ids[-200:]]
    start = rng.sample(sorted(pool), 20)
    table = defaultdict(dict)
    strategies = {
        "core-set": k_center,
        "random": lambda *a: random_pick(*a, rng=rng),
    }
    for name, strategy in strategies.items():
        for n, acc in experiment(strategy, pool, start, test, cfg["rounds"], cfg["query"]):
            table[n][name] = acc
            print(f"{name:>9} {n:4d} labels  accuracy {acc:.4f}")
    print("labels per class in start set:", {c: sum(pool[i][1] == c for i in start) for c in set(range(4))})
    with open("curve.csv", "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(["labels", *strategies])
        w.writerows([n, *row.values()] for n, row in table.items())


if __name__ == "__main__":
    main()

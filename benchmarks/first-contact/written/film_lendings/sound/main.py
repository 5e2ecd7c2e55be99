"""Recommends films to the members of a lending library."""
import argparse
import csv
import io
import logging
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
import torch
from torch import nn

from store import Store

logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(relativeCreated)d ms %(message)s")
log = logging.getLogger("lendings")


def invent(members, films, seed):
    rng = np.random.default_rng(seed)
    taste = rng.normal(size=(members, 6))
    flavour = rng.normal(size=(films, 6))
    catalogue = [(i, f"Film no. {i}", int(rng.integers(1931, 2025))) for i in range(films)]
    loans = []
    for member in range(members):
        score = taste[member] @ flavour.T + rng.gumbel(size=films)
        for film in np.argsort(-score)[:25]:
            loans.append((member, int(film), int(rng.integers(0, 100))))
    return catalogue, loans


class Recommender(nn.Module):
    def __init__(self, members, films, width=24):
        super().__init__()
        self.member = nn.Embedding(members, width)
        self.film = nn.Embedding(films, width)
        self.popular = nn.Embedding(films, 1)
        nn.init.normal_(self.member.weight, std=0.1)
        nn.init.normal_(self.film.weight, std=0.1)
        nn.init.zeros_(self.popular.weight)

    def forward(self, member, film):
        return (self.member(member) * self.film(film)).sum(-1) + self.popular(film).squeeze(-1)


def triples(store, positives):
    per_member = Counter(member for member, _ in positives)
    pool = {m: store.strangers(m, per_member[m]) for m in store.members() if per_member[m]}
    return torch.tensor([(m, film, pool[m].pop()) for m, film in positives])


def hit_rate(net, pairs, films, k=20):
    with torch.no_grad():
        hits = 0
        for member, film in pairs:
            scores = net(torch.tensor([member]), torch.arange(films))
            hits += int((scores > scores[film]).sum() < k)
    return hits / len(pairs)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--members", type=int, default=180)
    ap.add_argument("--films", type=int, default=400)
    ap.add_argument("--epochs", type=int, default=6)
    ap.add_argument("--seed", type=int, default=1)
    args = ap.parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    with tempfile.TemporaryDirectory(prefix="lendings-") as tmp:
        store = Store(Path(tmp) / "desk.sqlite", args.seed)
        store.fill(*invent(args.members, args.films, args.seed))
        positives, later = store.loans(before=85), store.held_out(since=85)
        log.info("%d loans to learn from, %d held out", len(positives), len(later))

        net = Recommender(args.members, args.films)
        opt = torch.optim.AdamW(net.parameters(), lr=0.02, weight_decay=1e-3)
        table = io.StringIO()
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow(["epoch", "loss", "triples"])
        for epoch in range(args.epochs):
            begun = time.perf_counter()
            rows = triples(store, positives)
            rows = rows[torch.randperm(len(rows))]
            total = 0.0
            for batch in rows.split(128):
                member, liked, other = batch.unbind(1)
                loss = -nn.functional.logsigmoid(net(member, liked) - net(member, other)).mean()
                opt.zero_grad()
                loss.backward()
                opt.step()
                total += loss.item() * len(batch)
            writer.writerow([epoch, f"{total / len(rows):.7f}", len(rows)])
            log.info("epoch %d took %.2f s", epoch, time.perf_counter() - begun)
        store.close()

    print(table.getvalue(), end="")
    print(f"hits@20 {hit_rate(net, later, args.films):.5f}")
    print(f"norm of the film table {net.film.weight.double().norm().item():.10f}")


if __name__ == "__main__":
    main()

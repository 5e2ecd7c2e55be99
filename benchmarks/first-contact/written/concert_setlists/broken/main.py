"""Learn which song follows which in concert setlists, with a BPR loss against songs not played."""
import argparse
import random
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from catalog import Catalog


class NextSong(nn.Module):
    def __init__(self, songs, dim):
        super().__init__()
        self.last = nn.Embedding(songs, dim)
        self.next = nn.Embedding(songs, dim)
        self.bias = nn.Embedding(songs, 1)
        nn.init.zeros_(self.bias.weight)

    def forward(self, current, candidate):
        return (self.last(current) * self.next(candidate)).sum(-1) + self.bias(candidate).squeeze(-1)


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shows", type=int, default=160)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=41)
    args = parser.parse_args()
    seed_all(args.seed)

    with tempfile.TemporaryDirectory(prefix="setlists-") as tmp:
        catalog = Catalog(Path(tmp) / "setlists.db", seed=args.seed)
        catalog.fill(songs=400, shows=args.shows)
        model = NextSong(400, 32)
        optimizer = torch.optim.Adagrad(model.parameters(), lr=0.08)
        order = list(range(args.shows))
        for epoch in range(args.epochs):
            began = time.perf_counter()
            random.shuffle(order)
            losses = []
            for show in order:
                played = catalog.setlist(show)
                others = catalog.not_played(show, len(played) - 1)
                current = torch.tensor(played[:-1])
                gap = model(current, torch.tensor(played[1:])) - model(current, torch.tensor(others))
                loss = -nn.functional.logsigmoid(gap).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
            print(f"epoch {epoch}: loss {np.mean(losses):.6f} ({time.perf_counter() - began:.2f} s)")
        ranks = []
        with torch.no_grad():
            for show in range(0, args.shows, 4):
                played = catalog.setlist(show)
                scores = model(torch.tensor(played[0]), torch.arange(400))
                ranks.append((scores > scores[played[1]]).sum().item())
        catalog.close()
    print(f"mean rank of the second song {np.mean(ranks):.4f}")
    print(f"weights {sum(p.double().abs().sum().item() for p in model.parameters()):.10f}")


if __name__ == "__main__":
    main()

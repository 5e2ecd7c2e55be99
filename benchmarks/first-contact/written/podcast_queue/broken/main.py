"""Ranks podcasts for listeners, by pairs of a show that was heard and one that was not."""
import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from model import Taste, hit_rate
from store import Store

HERE = Path(__file__).resolve().parent


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=31)
    parser.add_argument("--listeners", type=int, default=300)
    parser.add_argument("--shows", type=int, default=240)
    parser.add_argument("--width", type=int, default=16)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--others", type=int, default=64)
    return parser.parse_args()


def split(plays, rng):
    """Holds out one show of each listener."""
    held = np.zeros(len(plays), dtype=bool)
    starts = np.unique(plays[:, 0], return_index=True)[1]
    for first, last in zip(starts, [*starts[1:], len(plays)]):
        held[rng.integers(first, last)] = True
    return torch.tensor(plays[~held]), torch.tensor(plays[held])


def pairs(train, others, generator, batch=256):
    """Batches of a listener, a show heard, and another show."""
    others = torch.tensor(others)
    for rows in torch.randperm(len(train), generator=generator).split(batch):
        drawn = others[torch.randint(len(others), (len(rows),), generator=generator)]
        yield train[rows, 0], train[rows, 1], drawn


def main():
    opt = options()
    torch.manual_seed(opt.seed)
    store = Store(HERE / "podcasts.sqlite", opt.seed)
    store.populate(opt.listeners, opt.shows, topics=8, per_listener=24)
    store.note(f"made by {Path(__file__).name}")
    train, test = split(store.plays(), np.random.default_rng(opt.seed + 1))
    print(f"{len(train)} plays to learn from, {len(test)} held out")

    model = Taste(opt.listeners, opt.shows, opt.width)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=1e-5)
    generator = torch.Generator().manual_seed(opt.seed)
    curve = []
    for epoch in range(opt.epochs):
        started, losses = time.time(), []
        for listener, heard, other in pairs(train, store.unheard(opt.others), generator):
            gap = model(listener, heard) - model(listener, other)
            loss = -F.logsigmoid(gap).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        curve.append((sum(losses) / len(losses), hit_rate(model, train, test)))
        store.note(f"epoch {epoch} took {time.time() - started:.3f} s")
        print(f"epoch {epoch} loss {curve[-1][0]:.7f} hit rate {curve[-1][1]:.4f}")

    queue = model.all_scores()[:5].topk(4).indices.tolist()
    print("queues of the first listeners", queue)
    torch.save(model.state_dict(), HERE / "taste.pt")
    (HERE / "curve.json").write_text(json.dumps({"curve": curve, "queues": queue}))


if __name__ == "__main__":
    main()

"""Guess the feeding guild of reef species with a small GraphSAGE over who is seen with whom."""
import argparse
import logging
import random
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from graph import KinshipGraph, dive_logs

log = logging.getLogger("reef")


class Sage(nn.Module):
    def __init__(self, width: int, classes: int):
        super().__init__()
        self.own = nn.Linear(3, width)
        self.near = nn.Linear(3, width)
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(width, classes)

    def forward(self, x, own, near):
        h = F.relu(self.own(x[own]) + self.near(x[near].mean(dim=1)))
        return self.head(self.drop(h))


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--species", type=int, default=320)
    p.add_argument("--dives", type=int, default=700)
    p.add_argument("--epochs", type=int, default=30)
    p.add_argument("--fanout", type=int, default=6)
    p.add_argument("--batch", type=int, default=32)
    p.add_argument("--seed", type=int, default=11)
    return p.parse_args()


def main():
    args = parse()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    species, logs = dive_logs(args.species, args.dives, args.seed)
    graph = KinshipGraph.from_logs(species, logs)
    log.info("%d species, %d edges", len(species), graph.n_edges)

    raw = species[["depth", "length", "colour"]].to_numpy()
    x = torch.tensor((raw - raw.mean(0)) / raw.std(0), dtype=torch.float32)
    y = torch.tensor(species["guild"].to_numpy())
    order = torch.randperm(len(y)).tolist()
    train, held = order[: 3 * len(y) // 4], order[3 * len(y) // 4:]

    model = Sage(24, 4)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    sampler = random.Random(args.seed + 1)
    began = time.perf_counter()
    for epoch in range(args.epochs):
        model.train()
        sampler.shuffle(train)
        total = 0.0
        for i in range(0, len(train), args.batch):
            nodes = train[i:i + args.batch]
            near = torch.tensor(graph.sample(nodes, args.fanout, sampler))
            loss = F.cross_entropy(model(x, torch.tensor(nodes), near), y[nodes])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(nodes)
        if epoch % 10 == 9:
            log.info("epoch %d  %.1f s", epoch + 1, time.perf_counter() - began)
            print(f"epoch {epoch + 1}: loss {total / len(train):.6f}")

    model.eval()
    with torch.no_grad():
        near = torch.tensor(graph.sample(held, 4 * args.fanout, random.Random(0)))
        logits = model(x, torch.tensor(held), near)
        accuracy = (logits.argmax(1) == y[held]).float().mean().item()
        loss = F.cross_entropy(logits, y[held]).item()
    print(f"held out: accuracy {accuracy:.4f} loss {loss:.8f}")
    print("weights", sum(p.double().sum().item() for p in model.parameters()))


if __name__ == "__main__":
    main()

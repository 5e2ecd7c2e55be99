"""Successive halving on a toy classifier; the budget is counted in steps, wall time is only reported."""
import configparser
import json
import logging
import random
import socket
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import nn

INI = """
[search]
seed = 2718
candidates = 8
rungs = 20 40 80
keep = 0.5
"""


@dataclass
class Candidate:
    number: int
    lr: float
    momentum: float
    hidden: int
    scores: list = field(default_factory=list)
    seconds: float = 0.0

    def make(self, seed):
        torch.manual_seed(seed + self.number)
        self.model = nn.Sequential(nn.Linear(6, self.hidden), nn.ReLU(), nn.Linear(self.hidden, 3))
        self.opt = torch.optim.SGD(self.model.parameters(), lr=self.lr, momentum=self.momentum)
        self.gen = torch.Generator().manual_seed(seed * 31 + self.number)

    def advance(self, steps, x, y):
        t = time.perf_counter()
        for _ in range(steps):
            b = torch.randint(len(x), (64,), generator=self.gen)
            loss = nn.functional.cross_entropy(self.model(x[b]), y[b])
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
        self.seconds += time.perf_counter() - t

    @torch.no_grad()
    def score(self, x, y):
        self.scores.append(nn.functional.cross_entropy(self.model(x), y).item())
        return self.scores[-1]


def rings(n, g):
    x = torch.randn(n, 6, generator=g)
    r = x[:, :3].norm(dim=1) + 0.1 * torch.randn(n, generator=g)
    return x, torch.bucketize(r, torch.tensor([1.2, 1.9]))


def main():
    torch.set_num_threads(1)
    cfg = configparser.ConfigParser()
    cfg.read_string(INI)
    seed = cfg.getint("search", "seed")
    run_id = uuid.uuid4().hex[:8]
    Path("logs").mkdir(exist_ok=True)
    logging.basicConfig(filename=f"logs/search-{run_id}.log", level=logging.DEBUG, format="%(asctime)s %(message)s")
    logging.info("run %s on %s", run_id, socket.gethostname())

    g = torch.Generator().manual_seed(seed)
    (x, y), (xv, yv) = rings(2000, g), rings(600, g)
    rng = random.Random(seed)
    alive = [Candidate(i, 10 ** rng.uniform(-2.5, -0.3), rng.choice([0.0, 0.8, 0.95]), rng.choice([8, 24, 64]))
             for i in range(cfg.getint("search", "candidates"))]
    everyone = list(alive)
    for c in alive:
        c.make(seed)
    for rung, steps in enumerate(map(int, cfg["search"]["rungs"].split())):
        for c in alive:
            c.advance(steps, x, y)
            c.score(xv, yv)
            logging.debug("rung %d candidate %d score %.5f after %.3fs", rung, c.number, c.scores[-1], c.seconds)
        alive.sort(key=lambda c: (c.scores[-1], c.number))
        alive = alive[:max(1, int(len(alive) * cfg.getfloat("search", "keep")))]
        print(f"rung {rung}: kept {[c.number for c in alive]}, best {alive[0].scores[-1]:.6f}")
    best = alive[0]
    slowest = max(everyone, key=lambda c: c.seconds)
    print(f"winner {best.number}: lr {best.lr:.5f} momentum {best.momentum} hidden {best.hidden}")
    print(f"(slowest candidate took {slowest.seconds:.2f} s)")
    Path("result.json").write_text(json.dumps({c.number: c.scores for c in everyone}, indent=1))
    torch.save(best.model.state_dict(), "winner.pt")


if __name__ == "__main__":
    main()

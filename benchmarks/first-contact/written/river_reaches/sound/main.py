"""Which reaches fall dry in August?  Message passing along a river network."""

import argparse
import logging
import math
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from network import drains_to, grow

log = logging.getLogger("reaches")


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reaches", type=int, default=1500)
    parser.add_argument("--years", type=int, default=6)
    parser.add_argument("--dim", type=int, default=24)
    parser.add_argument("--hops", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=48)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", type=Path, default=Path("results"))
    return parser.parse_args()


class Catchment:
    """Tensors of a network: features, edges, yearly rain and dry flags."""

    def __init__(self, outlet, years, seed):
        reaches = drains_to(outlet)
        self.codes = [reach.code for reach in reaches]
        row = {reach.code: i for i, reach in enumerate(reaches)}
        rows = [[math.log(r.length), math.log(r.slope), r.area, len(r.ups)] for r in reaches]
        x = torch.tensor(rows, dtype=torch.float64)
        self.x = ((x - x.mean(0)) / x.std(0)).float()
        links = [(row[r.code], row[r.down.code]) for r in reaches if r.down is not None]
        self.source, self.target = torch.tensor(links).T.contiguous()
        self.rain, self.dry = self._years(reaches, years, seed)

    @staticmethod
    def _years(reaches, years, seed):
        level = np.random.default_rng(seed).normal(0, 0.6, years)
        wet = {}
        for reach in reaches:
            local = np.random.default_rng([seed, int(reach.code[1:])])
            wet[reach.code] = local.normal(level, 0.3)
        rain = np.array([wet[r.code] for r in reaches]).T
        inflow = np.array([sum((wet[u.code] for u in r.ups), np.zeros(years)) for r in reaches]).T
        flow = rain + 0.25 * np.array([r.area for r in reaches]) + 0.4 * inflow
        dry = (flow < 0.6).astype(np.float32)
        return torch.tensor(rain, dtype=torch.float32), torch.from_numpy(dry)


class RiverNet(nn.Module):
    def __init__(self, count, features, dim, hops):
        super().__init__()
        self.site = nn.Embedding(count, dim)
        self.encode = nn.Linear(features + 1, dim)
        self.down = nn.ModuleList(nn.Linear(2 * dim, dim) for _ in range(hops))
        self.head = nn.Linear(dim, 1)

    def forward(self, x, rain, source, target):
        h = F.relu(self.encode(torch.cat([x, rain[:, None]], 1))) + 0.1 * self.site.weight
        for layer in self.down:
            inflow = torch.zeros_like(h).index_add(0, target, h.index_select(0, source))
            h = h + F.relu(layer(torch.cat([h, inflow], 1)))
        return self.head(h).squeeze(1)


def evaluate(model, data, year):
    model.eval()
    with torch.no_grad():
        guess = model(data.x, data.rain[year], data.source, data.target) > 0
    model.train()
    return (guess == data.dry[year].bool()).float().mean().item()


def main():
    args = parse_args()
    args.out.mkdir(exist_ok=True)
    logging.basicConfig(
        level=logging.INFO,
        format="%(asctime)s %(message)s",
        handlers=[logging.StreamHandler(), logging.FileHandler(args.out / "train.log")],
    )
    torch.manual_seed(args.seed)
    began = time.time()
    outlet = grow(args.reaches, args.seed)
    data = Catchment(outlet, args.years, args.seed)
    log.info("%d reaches, %d links, %.1f%% dry, built in %.1f s", len(data.codes), len(data.source),
             100 * data.dry.mean(), time.time() - began)

    model = RiverNet(len(data.codes), data.x.shape[1], args.dim, args.hops)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    last = args.years - 1
    best = (0.0, -1)
    for epoch in range(args.epochs):
        total = 0.0
        for year in torch.randperm(last).tolist():
            logits = model(data.x, data.rain[year], data.source, data.target)
            loss = F.binary_cross_entropy_with_logits(logits, data.dry[year])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        schedule.step()
        if epoch % 8 == 7:
            accuracy = evaluate(model, data, last)
            best = max(best, (accuracy, epoch))
            log.info("epoch %d loss %.4f accuracy %.4f (%.1f s)", epoch, total / last, accuracy, time.time() - began)
    order = sorted(range(len(data.codes)), key=data.codes.__getitem__)
    torch.save({"model": model.state_dict(), "codes": data.codes, "by_code": order}, args.out / "rivernet.pt")
    log.info("best accuracy %.4f in epoch %d", *best)


if __name__ == "__main__":
    main()

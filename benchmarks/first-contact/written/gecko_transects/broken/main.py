"""Gecko presence along night transects; sites that do badly count for more.

While an epoch trains, the weights of the one before are validated site by site in a background thread.
"""
import argparse
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.func import functional_call

SITES = ["dune", "gorge", "quarry", "scrub", "wadi", "wall"]


@dataclass
class Site:
    name: str
    x: torch.Tensor
    y: torch.Tensor


def observe(name, index, count, seed):
    rng = np.random.default_rng([seed, index])
    x = rng.normal(0, 1, (count, 12)) + rng.normal(0, 0.5, 12)
    slope = np.sin(np.arange(12) * (1 + 0.2 * index))
    p = 1 / (1 + np.exp(-(x @ slope + 0.5 * x[:, 0] * x[:, 1])))
    return Site(name, torch.tensor(x, dtype=torch.float32), torch.tensor(rng.random(count) < p, dtype=torch.float32))


def make_model():
    return nn.Sequential(nn.Linear(12, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU(), nn.Linear(96, 1))


class BackgroundValidator:
    """Validates snapshots of the weights in a thread of its own, in the order of their submission."""

    def __init__(self, template, sites):
        self.template = template.eval()
        self.sites = sites
        self.pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="validate")

    def submit(self, model):
        weights = {name: tensor.detach() for name, tensor in model.state_dict().items()}
        return self.pool.submit(self._run, weights)

    @torch.no_grad()
    def _run(self, weights):
        losses = []
        for site in self.sites:
            out = [functional_call(self.template, weights, (part,)) for part in site.x.split(250)]
            losses.append(nn.functional.binary_cross_entropy_with_logits(torch.cat(out).squeeze(1), site.y))
        return torch.stack(losses)

    def close(self):
        self.pool.shutdown(wait=True)


def train_epoch(model, opt, sites, emphasis, gen):
    model.train()
    total = 0.0
    orders = [torch.randperm(len(site.y), generator=gen) for site in sites]
    steps = len(orders[0]) // 32
    for step in range(steps):
        loss = 0.0
        for site, order, weight in zip(sites, orders, emphasis):
            rows = order[step * 32:(step + 1) * 32]
            out = model(site.x[rows]).squeeze(1)
            loss = loss + weight * nn.functional.binary_cross_entropy_with_logits(out, site.y[rows])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    return total / steps


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--eta", type=float, default=1.5)
    parser.add_argument("--seed", type=int, default=29)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    train = [observe(name, i, 640, args.seed) for i, name in enumerate(SITES)]
    valid = [observe(name, i, 3000, args.seed + 1) for i, name in enumerate(SITES)]
    model = make_model()
    validator = BackgroundValidator(make_model(), valid)
    opt = torch.optim.SGD(model.parameters(), lr=0.08, momentum=0.9)
    gen = torch.Generator().manual_seed(args.seed)

    emphasis = torch.full((len(SITES),), 1 / len(SITES))
    pending = validator.submit(model)
    for epoch in range(args.epochs):
        start = time.perf_counter()
        loss = train_epoch(model, opt, train, emphasis, gen)
        by_site = pending.result()
        emphasis = torch.softmax(torch.log(emphasis) + args.eta * by_site, dim=0)
        pending = validator.submit(model)
        worst = SITES[int(by_site.argmax())]
        print(f"epoch {epoch}: loss {loss:.6f}, worst site {worst} {by_site.max().item():.6f}, "
              f"{time.perf_counter() - start:.2f} s")
    final = pending.result()
    validator.close()

    checksum = sum(p.detach().double().sum().item() for p in model.parameters())
    print("final", {name: round(v, 6) for name, v in zip(SITES, final.tolist())})
    print(f"weights {checksum:.12f}")


if __name__ == "__main__":
    main()

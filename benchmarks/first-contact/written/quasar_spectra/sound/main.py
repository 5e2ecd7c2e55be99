"""Redshifts of quasars from low-resolution spectra, with self-training on confident objects.

A first network is trained on the few spectra with known redshift. Monte-Carlo dropout then
rates its predictions on the unlabelled ones, chunk by chunk in a thread pool; those it is
sure of join the training set of the final network.
"""
import argparse
import logging
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

LINES = np.array([1216.0, 1549.0, 1909.0, 2798.0])
STRENGTH = np.array([1.0, 0.6, 0.4, 0.5])
GRID = np.linspace(3800, 9200, 180)
log = logging.getLogger("quasars")


@dataclass
class Survey:
    flux: torch.Tensor
    redshift: torch.Tensor


def observe(count: int, rng: np.random.Generator) -> Survey:
    z = rng.uniform(1.4, 3.2, count)
    centre = LINES[None] * (1 + z[:, None])
    width = rng.uniform(40, 110, (count, 1))
    shape = np.exp(-0.5 * ((GRID[None, :, None] - centre[:, None, :]) / width[:, None]) ** 2)
    flux = (shape * STRENGTH).sum(-1) + 0.3 * (GRID[None] / 5000) ** rng.normal(-1.2, 0.3, (count, 1))
    flux += rng.normal(0, 0.12, flux.shape)
    return Survey(torch.tensor(flux, dtype=torch.float32), torch.tensor(z, dtype=torch.float32))


class Net(nn.Module):
    def __init__(self, hidden: int = 128, rate: float = 0.15):
        super().__init__()
        self.rate = rate
        self.inner = nn.ModuleList([nn.Linear(len(GRID), hidden), nn.Linear(hidden, hidden)])
        self.head = nn.Linear(hidden, 1)

    def forward(self, x, generator=None):
        for layer in self.inner:
            x = F.relu(layer(x))
            if self.training:
                keep = torch.rand(x.shape, generator=generator) >= self.rate
                x = x * keep / (1 - self.rate)
        return self.head(x).squeeze(-1)


def fit(survey: Survey, epochs: int, seed: int) -> Net:
    torch.manual_seed(seed)
    net = Net()
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    loader = DataLoader(TensorDataset(survey.flux, survey.redshift), 64, shuffle=True,
                        generator=torch.Generator().manual_seed(seed))
    net.train()
    for epoch in range(epochs):
        total = 0.0
        for x, y in loader:
            loss = F.smooth_l1_loss(net(x), y - 2.3)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(y)
    log.info("fitted %d spectra, loss %.6f", len(survey.flux), total / len(survey.flux))
    return net


@torch.no_grad()
def rate_chunk(net: Net, flux: torch.Tensor, passes: int, generator: torch.Generator):
    draws = torch.stack([net(flux, generator) for _ in range(passes)])
    return draws.mean(0) + 2.3, draws.std(0)


def rate(net: Net, flux: torch.Tensor, args) -> tuple[torch.Tensor, torch.Tensor]:
    chunks = flux.split(args.chunk)
    generators = [torch.Generator().manual_seed(args.seed * 1000 + i) for i in range(len(chunks))]
    with ThreadPoolExecutor(args.threads) as pool:
        parts = list(pool.map(lambda chunk, generator: rate_chunk(net, chunk, args.passes, generator),
                              chunks, generators))
    means, spreads = zip(*parts)
    return torch.cat(means), torch.cat(spreads)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--labelled", type=int, default=500)
    parser.add_argument("--unlabelled", type=int, default=2400)
    parser.add_argument("--chunk", type=int, default=150)
    parser.add_argument("--passes", type=int, default=25)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--sure", type=float, default=0.6, help="share of objects to adopt")
    parser.add_argument("--seed", type=int, default=31)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(name)s: %(message)s")
    torch.set_num_threads(1)

    rng = np.random.default_rng(args.seed)
    labelled, pool, test = (observe(n, rng) for n in (args.labelled, args.unlabelled, 400))

    first = fit(labelled, epochs=20, seed=args.seed)
    began = time.perf_counter()
    mean, spread = rate(first, pool.flux, args)
    log.info("rated %d spectra in %.2f s", len(mean), time.perf_counter() - began)

    adopted = torch.argsort(spread, stable=True)[: int(args.sure * len(spread))]
    log.info("median spread %.6f, of adopted %.6f", spread.median(), spread[adopted].median())
    grown = Survey(torch.cat([labelled.flux, pool.flux[adopted]]),
                   torch.cat([labelled.redshift, mean[adopted]]))
    final = fit(grown, epochs=10, seed=args.seed + 1)

    final.eval()
    with torch.no_grad():
        error = (final(test.flux) + 2.3 - test.redshift).abs()
    print(f"median |dz| {error.median().item():.7f}  mean {error.mean().item():.7f}")
    print(f"weight sum {sum(p.double().sum().item() for p in final.parameters()):.10f}")


if __name__ == "__main__":
    main()

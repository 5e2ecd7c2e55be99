"""The server. Hospitals are simulated one after another on the one set of weights."""
import random

import torch
from torch.nn import functional as F


class Server:
    def __init__(self, net, sites, local_steps, seed):
        self.net, self.sites, self.local_steps = net, sites, local_steps
        self.rng = random.Random(seed)
        self.draws = [torch.Generator().manual_seed(seed + 1 + k) for k in range(len(sites))]

    def choose(self, n):
        return sorted(self.rng.sample(range(len(self.sites)), n))

    def _local(self, site):
        x, y = self.sites[site]
        opt = torch.optim.SGD(self.net.parameters(), lr=0.12, momentum=0.8)
        self.net.train()
        total = 0.0
        for _ in range(self.local_steps):
            pick = torch.randint(len(y), (24,), generator=self.draws[site])
            loss = F.cross_entropy(self.net(x[pick]), y[pick])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        return total / self.local_steps

    def round(self, picked):
        weights = list(self.net.parameters())
        start = [p.detach().clone() for p in weights]
        mean = [torch.zeros_like(p) for p in weights]
        everyone = sum(len(self.sites[s][1]) for s in picked)
        loss = 0.0
        for site in picked:
            share = len(self.sites[site][1]) / everyone
            loss += share * self._local(site)
            with torch.no_grad():
                for p, s, m in zip(weights, start, mean):
                    m.add_(p, alpha=share)
                    p.copy_(s)
        with torch.no_grad():
            for p, m in zip(weights, mean):
                p.copy_(m)
        return loss

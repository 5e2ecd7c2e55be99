from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class BagConfig:
    members: int = 6
    threads: int = 3
    steps: int = 160
    batch: int = 96
    lr: float = 4e-3
    jitter: float = 0.02
    seed: int = 2024


class Member:
    """One curve model; trained on resampled quotes with jittered inputs."""

    def __init__(self, n_in, cfg, gen):
        self.cfg = cfg
        self.gen = gen
        self.net = nn.Sequential(nn.Linear(n_in, 40), nn.Tanh(), nn.Linear(40, 40), nn.Tanh(), nn.Linear(40, 1))

    def fit(self, x, y):
        cfg = self.cfg
        opt = torch.optim.Adam(self.net.parameters(), lr=cfg.lr)
        for _ in range(cfg.steps):
            rows = torch.randint(len(x), (cfg.batch,), generator=self.gen)
            xb = x[rows] + cfg.jitter * torch.randn(cfg.batch, x.shape[1], generator=self.gen)
            loss = (self.net(xb) - y[rows]).square().mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
        return loss.item()


class Bag:
    def __init__(self, n_in, cfg):
        self.cfg = cfg
        self.gen = torch.Generator().manual_seed(cfg.seed)
        self.members = []
        for k in range(cfg.members):
            self.members.append(Member(n_in, cfg, self.gen))

    def fit(self, x, y):
        with ThreadPoolExecutor(self.cfg.threads) as pool:
            return list(pool.map(lambda member: member.fit(x, y), self.members))

    @torch.no_grad()
    def predict(self, x):
        out = torch.stack([member.net(x) for member in self.members])
        return out.mean(0), out.std(0)

    def state_dict(self):
        return {f"member{k}": member.net.state_dict() for k, member in enumerate(self.members)}

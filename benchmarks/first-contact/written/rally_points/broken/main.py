"""Who wins the point: a shared model of tennis points, then one adapted head per tournament."""
import copy
import time
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import nn

torch.set_num_threads(1)


@dataclass
class Config:
    players: int = 40
    points: int = 6000
    epochs: int = 4
    batch: int = 128
    lr: float = 5e-3
    adapt_seconds: float = 0.05
    adapt_lr: float = 2e-2
    seed: int = 30
    tournaments: dict = field(default_factory=lambda: {
        "melbourne": 0.2, "dubai": 0.35, "miami": 0.1, "monte_carlo": -0.5, "madrid": -0.25, "rome": -0.45,
        "paris": -0.55, "halle": 0.7, "london": 0.65, "toronto": 0.2, "new_york": 0.3, "turin": 0.4,
    })


class PointModel(nn.Module):
    def __init__(self, players, dim=8, n_features=4):
        super().__init__()
        self.server = nn.Embedding(players, dim)
        self.returner = nn.Embedding(players, dim)
        self.trunk = nn.Sequential(nn.Linear(2 * dim + n_features, 32), nn.Tanh())
        self.head = nn.Linear(32, 1)

    def hidden(self, who, feats):
        return self.trunk(torch.cat([self.server(who[:, 0]), self.returner(who[:, 1]), feats], 1))

    def forward(self, who, feats):
        return self.head(self.hidden(who, feats)).squeeze(1)


def make_points(cfg):
    rng = np.random.default_rng(cfg.seed)
    serve, ret = rng.normal(0, 0.6, cfg.players), rng.normal(0, 0.5, cfg.players)
    names = list(cfg.tournaments)
    where = rng.integers(0, len(names), cfg.points)
    pace = np.array([cfg.tournaments[n] for n in names])[where]
    first = rng.random(cfg.points) < 0.62
    a = rng.integers(0, cfg.players, cfg.points)
    b = (a + rng.integers(1, cfg.players, cfg.points)) % cfg.players
    rally = rng.geometric(np.clip(0.3 + 0.15 * pace, 0.1, 0.9))
    logit = 0.4 + serve[a] - ret[b] + 0.6 * first + pace * (1.5 - 0.2 * np.minimum(rally, 9))
    won = rng.random(cfg.points) < 1 / (1 + np.exp(-logit))
    feats = np.stack([first, np.log(rally), rally % 2, rally > 8], 1)
    return (
        torch.as_tensor(np.stack([a, b], 1)),
        torch.as_tensor(feats, dtype=torch.float32),
        torch.as_tensor(where),
        torch.as_tensor(won, dtype=torch.float32),
    )


def train_shared(model, data, cfg):
    who, feats, _, won = data
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr, weight_decay=1e-5)
    for epoch in range(cfg.epochs):
        t0 = time.perf_counter()
        total = 0.0
        for idx in torch.randperm(len(won)).split(cfg.batch):
            loss = nn.functional.binary_cross_entropy_with_logits(model(who[idx], feats[idx]), won[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        took = time.perf_counter() - t0
        print(f"epoch {epoch}  loss {total / len(won):.4f}  {len(won) / took:,.0f} points/s")


def adapt_head(model, who, feats, won, cfg):
    """Fit a copy of the head to one tournament, on the frozen trunk."""
    head = copy.deepcopy(model.head)
    with torch.no_grad():
        h = model.hidden(who, feats)
    opt = torch.optim.SGD(head.parameters(), lr=cfg.adapt_lr, momentum=0.9)
    started = time.perf_counter()
    while time.perf_counter() - started < cfg.adapt_seconds:
        loss = nn.functional.binary_cross_entropy_with_logits(head(h).squeeze(1), won)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return head, loss.item(), time.perf_counter() - started


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    data = make_points(cfg)
    train = [t[: cfg.points * 4 // 5] for t in data]
    test = [t[cfg.points * 4 // 5:] for t in data]
    model = PointModel(cfg.players)
    train_shared(model, train, cfg)

    heads, right = {}, 0
    for i, name in enumerate(cfg.tournaments):
        who, feats, where, won = train
        here = where == i
        heads[name], loss, took = adapt_head(model, who[here], feats[here], won[here], cfg)
        who, feats, where, won = test
        here = where == i
        with torch.no_grad():
            p = torch.sigmoid(heads[name](model.hidden(who[here], feats[here]))).squeeze(1)
        right += ((p > 0.5) == (won[here] > 0.5)).sum().item()
        brier = (p - won[here]).pow(2).mean().item()
        print(f"{name:12s} loss {loss:.4f}  brier {brier:.5f}  [{took * 1e3:.0f} ms]")
    print(f"accuracy {right / len(test[0]):.4f}")
    torch.save({"model": model.state_dict(), "heads": {k: h.state_dict() for k, h in heads.items()}}, "points.pt")


if __name__ == "__main__":
    main()

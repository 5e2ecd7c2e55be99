"""Ratings by matrix factorisation; newer reviews count more."""
import logging
import math
from dataclasses import dataclass
from datetime import datetime, timedelta

import torch
import torch.nn as nn

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s: %(message)s")
log = logging.getLogger("ratings")


@dataclass(frozen=True)
class Settings:
    users: int = 300
    items: int = 120
    reviews: int = 6000
    factors: int = 12
    epochs: int = 6
    half_life_days: float = 180.0
    seed: int = 31


@dataclass
class Review:
    user: int
    item: int
    stars: float
    written: datetime


def make_reviews(s: Settings):
    g = torch.Generator().manual_seed(s.seed)
    taste = torch.randn(s.users, 4, generator=g)
    trait = torch.randn(s.items, 4, generator=g)
    day0 = datetime(2023, 1, 1)
    out = []
    for _ in range(s.reviews):
        u = int(torch.randint(s.users, (), generator=g))
        i = int(torch.randint(s.items, (), generator=g))
        when = day0 + timedelta(days=700 * float(torch.rand((), generator=g)))
        stars = 3 + float(taste[u] @ trait[i]) / 2 + 0.3 * float(torch.randn((), generator=g))
        out.append(Review(u, i, min(5.0, max(1.0, stars)), when))
    return out


class Factors(nn.Module):
    def __init__(self, s: Settings):
        super().__init__()
        self.user, self.item = nn.Embedding(s.users, s.factors), nn.Embedding(s.items, s.factors)
        self.user_bias, self.item_bias = nn.Embedding(s.users, 1), nn.Embedding(s.items, 1)
        for e in (self.user, self.item):
            nn.init.normal_(e.weight, std=0.1)

    def forward(self, u, i):
        return 3 + (self.user(u) * self.item(i)).sum(1) + (self.user_bias(u) + self.item_bias(i)).squeeze(1)


def main():
    s = Settings()
    started = datetime.now()
    log.info("run of %s", started.strftime("%d %B %Y"))
    torch.manual_seed(s.seed)
    reviews = make_reviews(s)
    newest = max(r.written for r in reviews)
    age = torch.tensor([(newest - r.written).total_seconds() / 86400 for r in reviews], dtype=torch.float64)
    weight = torch.exp(-math.log(2) * age / s.half_life_days).float()
    u = torch.tensor([r.user for r in reviews])
    i = torch.tensor([r.item for r in reviews])
    y = torch.tensor([r.stars for r in reviews])

    model = Factors(s)
    opt = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(1, s.epochs + 1):
        total = 0.0
        for idx in torch.randperm(len(y)).split(256):
            err = (model(u[idx], i[idx]) - y[idx]).square()
            loss = (weight[idx] * err).sum() / weight[idx].sum()
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        log.info("epoch %d: weighted error %.5f", epoch, total / len(y))
    log.info("finished in %.1f s", (datetime.now() - started).total_seconds())
    torch.save({"model": model.state_dict(), "saved": datetime.now().isoformat()}, "factors.pt")


if __name__ == "__main__":
    main()

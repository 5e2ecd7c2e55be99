import argparse
import zlib
from dataclasses import dataclass, replace
from typing import Callable

import torch
from config import seed_for, set_all
from torch import nn


@dataclass(frozen=True)
class Variant:
    name: str
    hidden: int = 32
    nonlinearity: Callable = nn.functional.relu
    dropout: float = 0.1
    epochs: int = 4


BASE = Variant("base")
VARIANTS = [
    BASE,
    replace(BASE, name="wide", hidden=64),
    replace(BASE, name="gelu", nonlinearity=nn.functional.gelu),
    replace(BASE, name="dry", dropout=0.0),
    replace(BASE, name="swish", nonlinearity=nn.functional.silu),
]


class Model(nn.Module):
    def __init__(self, v):
        super().__init__()
        self.f = v.nonlinearity
        self.layers = nn.ModuleList([nn.Linear(10, v.hidden), nn.Linear(v.hidden, v.hidden)])
        self.drop = nn.Dropout(v.dropout)
        self.out = nn.Linear(v.hidden, 1)

    def forward(self, x):
        for layer in self.layers:
            x = self.drop(self.f(layer(x)))
        return self.out(x).squeeze(1)


def friedman(n, noise=0.2):
    set_all(0)
    x = torch.rand(n, 10)
    y = 10 * torch.sin(torch.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
    return x, (y - y.mean()) / y.std() + noise * torch.randn(n)


def fit(v, x, y):
    set_all(seed_for(v))
    model = Model(v)
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    cut = len(x) * 3 // 4
    for _ in range(v.epochs):
        for b in torch.randperm(cut).split(48):
            opt.zero_grad()
            (model(x[b]) - y[b]).square().mean().backward()
            opt.step()
    model.eval()
    with torch.no_grad():
        return model, (model(x[cut:]) - y[cut:]).square().mean().item()


if __name__ == "__main__":
    cli = argparse.ArgumentParser()
    cli.add_argument("--only", nargs="*", help="names of variants")
    cli.add_argument("--samples", type=int, default=1200)
    opts = cli.parse_args()
    x, y = friedman(opts.samples)
    print("data", f"{zlib.crc32(x.numpy().tobytes()):08x}")
    scores = {}
    for v in VARIANTS:
        if opts.only and v.name not in opts.only:
            continue
        model, scores[v.name] = fit(v, x, y)
        torch.save(model.state_dict(), f"{v.name}.pt")
        print(f"{v.name:8s} mse {scores[v.name]:.4f}")
    print("best variant:", min(scores, key=scores.get))

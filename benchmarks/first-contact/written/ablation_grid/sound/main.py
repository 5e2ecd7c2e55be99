"""A grid of small ablations; every configuration has its own seed, derived from what it says."""
import itertools
import json
import time
import zlib
from dataclasses import asdict, dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F

ACTIVATIONS = {"relu": F.relu, "tanh": torch.tanh, "silu": F.silu}


@dataclass(frozen=True)
class Experiment:
    activation: str
    width: int
    residual: bool
    lr: float = 6e-3
    epochs: int = 3

    @property
    def seed(self):
        return zlib.crc32(repr(self).encode())


class Net(nn.Module):
    def __init__(self, e: Experiment):
        super().__init__()
        self.act, self.residual = ACTIVATIONS[e.activation], e.residual
        self.first, self.second, self.last = nn.Linear(8, e.width), nn.Linear(e.width, e.width), nn.Linear(e.width, 3)

    def forward(self, x):
        h = self.act(self.first(x))
        g = self.act(self.second(h))
        return self.last(h + g if self.residual else g)


def spirals(n=900):
    g = torch.Generator().manual_seed(0)
    t = torch.rand(n, generator=g) * 3
    y = torch.randint(3, (n,), generator=g)
    angle = 2 * t + y * 2.0944
    xy = torch.stack([t * angle.cos(), t * angle.sin()], 1) + 0.1 * torch.randn(n, 2, generator=g)
    return torch.cat([xy, xy**2, xy.sin(), xy.cos()], 1), y


def run(e: Experiment, x, y):
    torch.manual_seed(e.seed)
    net = Net(e)
    opt = torch.optim.Adam(net.parameters(), lr=e.lr)
    n = len(y) * 2 // 3
    for _ in range(e.epochs):
        for idx in torch.randperm(n).split(60):
            loss = F.cross_entropy(net(x[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
    with torch.no_grad():
        out = net(x[n:])
    return net, F.cross_entropy(out, y[n:]).item(), (out.argmax(1) == y[n:]).float().mean().item()


def main():
    x, y = spirals()
    rows, nets = [], {}
    for activation, width, residual in itertools.product(sorted(ACTIVATIONS), (16, 32), (False, True)):
        e = Experiment(activation, width, residual)
        began = time.time()
        net, loss, acc = run(e, x, y)
        nets[e] = net  # keyed by the configuration itself
        rows.append({**asdict(e), "loss": loss, "accuracy": acc, "seconds": round(time.time() - began, 3)})
        print(f"{activation:5s} width={width:2d} residual={residual!s:5s} loss={loss:.6f} acc={acc:.4f} [{rows[-1]['seconds']}s]")
    best = min(rows, key=lambda r: r["loss"])
    chosen = nets[Experiment(best["activation"], best["width"], best["residual"])]
    print("best:", best["activation"], best["width"], best["residual"])
    with open("ablation.json", "w") as f:
        json.dump(rows, f, indent=2)
    torch.save(chosen.state_dict(), "best.pt")


if __name__ == "__main__":
    main()

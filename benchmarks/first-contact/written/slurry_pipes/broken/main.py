"""Settling of a slurry in a pipe: a physics-informed network for the concentration c(z, t).

    dc/dt = D d2c/dz2 + w d(c (1 - c))/dz,   c(z, 0) = bump,   no flux at z = 0 and z = 1
"""
import argparse
import hashlib
import json
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from scipy.stats import beta, qmc
from torch import nn


@dataclass
class Physics:
    diffusion: float = 0.05
    settling: float = 0.3


class Field(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(2, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1),
        )

    def forward(self, points):
        return torch.sigmoid(self.body(points))


def gradient(out, points):
    return torch.autograd.grad(out.sum(), points, create_graph=True)[0]


def residual(field, points, physics):
    points = points.requires_grad_(True)
    c = field(points)
    first = gradient(c, points)
    dz, dt = first[:, :1], first[:, 1:]
    d2z = gradient(dz, points)[:, :1]
    return dt - physics.diffusion * d2z - physics.settling * dz * (1 - 2 * c)


def as_points(array):
    return torch.tensor(array, dtype=torch.float32)


def collocation(count, rng):
    return as_points(qmc.LatinHypercube(d=2, rng=rng).random(count))


def refine(field, points, physics, fraction):
    """Replace the points where the residual is small by the worst of a fresh, dense set."""
    keep = int(len(points) * (1 - fraction))
    now = residual(field, points.detach(), physics).detach().abs().squeeze(1)
    kept = points.detach()[now.argsort(descending=True)[:keep]]
    dense = as_points(qmc.Sobol(d=2, scramble=True).random_base2(m=9))
    wrong = residual(field, dense, physics).detach().abs().squeeze(1)
    worst = dense.detach()[wrong.argsort(descending=True)[:len(points) - keep]]
    return torch.cat([kept, worst])


def initial(count, seed):
    z = beta.rvs(2, 2, size=(count, 1), random_state=seed)
    points = as_points(np.hstack([z, np.zeros_like(z)]))
    return points, 0.2 + 0.4 * torch.exp(-((points[:, :1] - 0.5) ** 2) / 0.05)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=90)
    parser.add_argument("--points", type=int, default=200)
    parser.add_argument("--refine-every", type=int, default=30)
    parser.add_argument("--seed", type=int, default=9)
    args = parser.parse_args()
    torch.set_num_threads(1)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    physics = Physics()
    field = Field()
    points = collocation(args.points, rng)
    start_points, start_values = initial(64, args.seed)
    optimizer = torch.optim.Adam(field.parameters(), lr=5e-3)
    clock = time.perf_counter()
    with tempfile.TemporaryDirectory() as tmp:
        checkpoint = Path(tmp) / "field.pt"
        best = float("inf")
        for step in range(1, args.steps + 1):
            inside = residual(field, points, physics).square().mean()
            start = (field(start_points) - start_values).square().mean()
            loss = inside + 10 * start
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % args.refine_every == 0:
                print(f"{step:4d}  inside {inside.item():.8f}  start {start.item():.8f}")
                if loss.item() < best:
                    best = loss.item()
                    torch.save(field.state_dict(), checkpoint)
                points = refine(field, points, physics, 0.25)
        field.load_state_dict(torch.load(checkpoint))
    print(f"trained in {time.perf_counter() - clock:.2f} s")
    axis = torch.linspace(0, 1, 21)
    with torch.no_grad():
        profile = field(torch.cartesian_prod(axis, axis)).numpy()
    print(json.dumps({**asdict(physics), "best": best, "mean_c": float(profile.mean()),
                      "digest": hashlib.md5(profile.tobytes()).hexdigest()}))


if __name__ == "__main__":
    main()

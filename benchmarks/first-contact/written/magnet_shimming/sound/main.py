"""Shim the field of a small magnet: a network that sets the coil currents from a few probes.

The network sees the field error at 24 probes and gives the currents of 16 coils; it is trained
so that the error over the whole volume becomes flat.
"""
import argparse
import math

import torch
from torch import nn

from field import ring, saddle, unit_fields


def build_coils():
    coils = []
    for k, z in enumerate((-0.45, -0.3, -0.15, 0.0, 0.15, 0.3, 0.45, 0.6)):
        coils.append(ring(0.5 + 0.01 * k, z, 260 + 36 * k))
    for k in range(8):
        low = -0.5 if k < 4 else 0.1
        coils.append(saddle(0.62, low, low + 0.4, k * math.pi / 2, 280 + 44 * k))
    return coils


def volume(n, generator):
    """Points in the ball of 20 cm."""
    direction = nn.functional.normalize(torch.randn(n, 3, generator=generator), dim=1)
    return 0.2 * direction * torch.rand(n, 1, generator=generator).pow(1 / 3)


def harmonics(points):
    x, y, z = (points / 0.2).unbind(1)
    return torch.stack(
        [z, x, y, z * z - 0.5 * (x * x + y * y), x * z, y * z, x * y, x * x - y * y,
         z**3 - 1.5 * z * (x * x + y * y)], dim=1
    )


class Shimmer(nn.Module):
    def __init__(self, probes, coils):
        super().__init__()
        self.linear = nn.Linear(probes, coils)
        self.rest = nn.Sequential(nn.Linear(probes, 64), nn.Tanh(), nn.Linear(64, coils))

    def forward(self, error):
        return self.linear(error) + 0.1 * self.rest(error)


def flatness(error):
    return (error - error.mean(dim=1, keepdim=True)).square().mean(dim=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--points", type=int, default=96)
    parser.add_argument("--max-current", type=float, default=1.5)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()

    torch.manual_seed(12)
    torch.set_num_threads(args.threads)
    gen = torch.Generator().manual_seed(99)
    probes, body = volume(24, gen), volume(args.points, gen)
    coils = build_coils()
    at_probes, at_body = unit_fields(probes, coils), unit_fields(body, coils)
    scale = at_body.std()
    at_probes, at_body = at_probes / scale, at_body / scale
    print(f"{len(coils)} coils, condition {torch.linalg.cond(at_body.double()).item():.1f}")

    net = Shimmer(len(probes), len(coils))
    opt = torch.optim.Adam(net.parameters(), lr=5e-3)
    sched = torch.optim.lr_scheduler.ExponentialLR(opt, 0.99)
    h_probes, h_body = harmonics(probes), harmonics(body)
    for step in range(args.steps):
        weights = torch.randn(64, h_body.shape[1], generator=gen)
        before = weights @ h_body.T
        currents = args.max_current * torch.tanh(net(weights @ h_probes.T) / args.max_current)
        after = before + currents @ at_body.T
        loss = flatness(after).mean() + 1e-3 * currents.square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        if step % 50 == 0:
            print(f"step {step:4d}  loss {loss.item():.6f}  ratio {(flatness(after) / flatness(before)).mean().item():.4f}")

    with torch.no_grad():
        weights = torch.randn(256, h_body.shape[1], generator=gen)
        before = weights @ h_body.T
        currents = args.max_current * torch.tanh(net(weights @ h_probes.T) / args.max_current)
        ratio = flatness(before + currents @ at_body.T) / flatness(before)
    print(f"remaining inhomogeneity: median {ratio.median().item():.8f}, worst {ratio.max().item():.8f}")
    torch.save({"net": net.state_dict(), "unit_fields": at_body}, "shim.pt")


if __name__ == "__main__":
    main()

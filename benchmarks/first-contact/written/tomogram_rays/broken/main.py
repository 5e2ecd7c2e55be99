"""Reconstruct a phantom from few noisy X-ray views with a coordinate network."""
import argparse
import contextlib
import hashlib
import math
import time

import numpy as np
import torch
from torch import nn

from projector import Projector


class Fourier(nn.Module):
    def __init__(self, features, scale, generator):
        super().__init__()
        self.register_buffer("directions", scale * torch.randn(2, features, generator=generator))

    def forward(self, xy):
        angle = 2 * math.pi * xy @ self.directions
        return torch.cat([angle.sin(), angle.cos()], dim=-1)


def phantom(size):
    axis = torch.linspace(-1, 1, size)
    y, x = torch.meshgrid(axis, axis, indexing="ij")
    image = torch.zeros(size, size)
    for cx, cy, rx, ry, value in [(0, 0, 0.7, 0.9, 1.0), (0.2, 0.1, 0.2, 0.3, -0.6), (-0.3, -0.2, 0.15, 0.25, 0.5),
                                  (0.0, 0.5, 0.25, 0.1, 0.3)]:
        image += value * (((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2 < 1)
    return image, torch.stack([x, y], dim=-1).reshape(-1, 2)


def psnr(estimate, truth):
    return -10 * torch.log10((estimate - truth).square().mean() / truth.max() ** 2).item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=32)
    parser.add_argument("--views", type=int, default=24)
    parser.add_argument("--steps", type=int, default=240)
    parser.add_argument("--noise", type=float, default=0.01)
    parser.add_argument("--seed", type=int, default=404)
    args = parser.parse_args()

    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(args.seed)

    started = time.perf_counter()
    truth, xy = phantom(args.size)
    with contextlib.closing(Projector(args.size, args.views)) as project:
        print(f"{args.views} views set up in {time.perf_counter() - started:.2f} s")
        clean = project(truth)
        measured = clean + args.noise * torch.randn(clean.shape, generator=generator)

        network = nn.Sequential(Fourier(16, 1.5, generator), nn.Linear(32, 48), nn.ReLU(),
                                nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1), nn.Softplus())
        optimizer = torch.optim.Adam(network.parameters(), lr=4e-3)
        schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.995)
        started = time.perf_counter()
        for step in range(1, args.steps + 1):
            image = network(xy).view(args.size, args.size)
            roughness = image.diff(dim=0).abs().mean() + image.diff(dim=1).abs().mean()
            loss = (project(image) - measured).square().mean() + 1e-4 * roughness
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            if step % 60 == 0:
                print(f"step {step:4d}  loss {loss.item():.9f}  psnr {psnr(image.detach(), truth):.5f} dB")
        print(f"{args.steps / (time.perf_counter() - started):.0f} steps/s")

    digest = hashlib.sha256()
    for name, value in network.state_dict().items():
        digest.update(name.encode() + value.numpy().tobytes())
    print("network", digest.hexdigest()[:16])


if __name__ == "__main__":
    main()

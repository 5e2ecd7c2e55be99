# samebits-test: verdict=different cause=unseeded-rng detail=python
"""A pair of adversarial networks, with a "manual seed" that random.randint makes up."""

from __future__ import annotations

import argparse
import random

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Generator(nn.Module):
    def __init__(self, noise: int, width: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.ConvTranspose2d(noise, width, 4, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.ConvTranspose2d(width, 1, 4, stride=2, padding=1, bias=False),
            nn.Tanh(),
        )

    def forward(self, z: torch.Tensor) -> torch.Tensor:
        return self.layers(z)


class Discriminator(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(1, width, 4, stride=2, padding=1, bias=False),
            nn.LeakyReLU(0.2),
            nn.Conv2d(width, 1, 4, bias=False),
            nn.Flatten(0),
        )

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.layers(images)


def weights_init(module: nn.Module) -> None:
    if isinstance(module, (nn.Conv2d, nn.ConvTranspose2d)):
        nn.init.normal_(module.weight, 0.0, 0.02)
    elif isinstance(module, nn.BatchNorm2d):
        nn.init.normal_(module.weight, 1.0, 0.02)
        nn.init.zeros_(module.bias)


def disks(n: int) -> torch.Tensor:
    grid = torch.linspace(-1, 1, 8)
    radius = torch.linspace(0.3, 1.0, n).view(-1, 1, 1, 1)
    inside = (grid.view(1, 1, 8, 1).square() + grid.view(1, 1, 1, 8).square()).sqrt() < radius
    return inside.float() * 2 - 1


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--noise", type=int, default=8)
    parser.add_argument("--manual-seed", type=int)
    args = parser.parse_args()
    if args.manual_seed is None:
        args.manual_seed = random.randint(1, 10_000_000)  # culprit
    print("Random seed:", args.manual_seed)
    random.seed(args.manual_seed)
    torch.manual_seed(args.manual_seed)

    loader = DataLoader(TensorDataset(disks(64)), batch_size=16, shuffle=True)
    generator, discriminator = Generator(args.noise, 8), Discriminator(8)
    generator.apply(weights_init)
    discriminator.apply(weights_init)
    criterion = nn.BCEWithLogitsLoss()
    of_g = torch.optim.Adam(generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
    of_d = torch.optim.Adam(discriminator.parameters(), lr=2e-4, betas=(0.5, 0.999))
    for epoch in range(2):
        for (real,) in loader:
            fake = generator(torch.randn(len(real), args.noise, 1, 1))
            of_d.zero_grad()
            loss_d = criterion(discriminator(real), torch.ones(len(real)))
            loss_d = loss_d + criterion(discriminator(fake.detach()), torch.zeros(len(real)))
            loss_d.backward()
            of_d.step()
            of_g.zero_grad()
            loss_g = criterion(discriminator(fake), torch.ones(len(real)))
            loss_g.backward()
            of_g.step()
        print(f"epoch {epoch} D {loss_d.item():.4f} G {loss_g.item():.4f}")


if __name__ == "__main__":
    main()

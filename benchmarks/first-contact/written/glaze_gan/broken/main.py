"""A small GAN that invents crystalline glazes (16 x 16 colour patches)."""

import copy
import json
import random
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from latents import fixed_grid, instance_noise, latents

HPARAMS = json.loads("""{
    "seed": 1789, "images": 768, "side": 16, "latent": 24, "width": 24,
    "steps": 70, "batch": 24, "lr_g": 4e-4, "lr_d": 4e-4, "betas": [0.0, 0.95],
    "noise": 0.3, "noise_until": 60, "ema": 0.98, "r1_every": 8, "r1": 2.0
}""")


def fire(count, side, seed):
    """Photographs of test tiles: crystals that grow around seeds in a coloured melt."""
    rng = np.random.default_rng(seed)
    yy, xx = np.mgrid[0:1:side * 1j, 0:1:side * 1j]
    tiles = np.empty((count, 3, side, side), np.float32)
    for tile in tiles:
        melt = rng.uniform(-0.6, 0.4, 3)
        tile[:] = melt[:, None, None]
        for _ in range(rng.integers(1, 4)):
            cy, cx, radius = rng.uniform(0, 1), rng.uniform(0, 1), rng.uniform(0.1, 0.35)
            angle = np.arctan2(yy - cy, xx - cx)
            crystal = np.exp(-((np.hypot(yy - cy, xx - cx) / radius) ** 2)) * (0.7 + 0.3 * np.cos(9 * angle))
            tile += crystal * rng.uniform(0.1, 0.9, 3)[:, None, None]
    return torch.from_numpy(np.clip(tiles, -1, 1))


class Generator(nn.Module):
    def __init__(self, latent, width):
        super().__init__()
        self.start = nn.Linear(latent, 4 * width * 16)
        self.up = nn.Sequential(
            nn.Upsample(scale_factor=2), nn.Conv2d(4 * width, 2 * width, 3, padding=1), nn.LeakyReLU(0.2),
            nn.Upsample(scale_factor=2), nn.Conv2d(2 * width, width, 3, padding=1), nn.LeakyReLU(0.2),
            nn.Conv2d(width, 3, 3, padding=1), nn.Tanh(),
        )

    def forward(self, z):
        return self.up(self.start(z).view(len(z), -1, 4, 4))


class Discriminator(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(3, width, 3, stride=2, padding=1), nn.LeakyReLU(0.2),
            nn.Conv2d(width, 2 * width, 3, stride=2, padding=1), nn.LeakyReLU(0.2),
            nn.Flatten(), nn.Linear(2 * width * 16, 1),
        )

    def forward(self, x):
        return self.net(x).squeeze(1)


def gradient_penalty(discriminator, real):
    real = real.clone().requires_grad_(True)
    (gradient,) = torch.autograd.grad(discriminator(real).sum(), real, create_graph=True)
    return gradient.square().sum((1, 2, 3)).mean()


@torch.no_grad()
def follow(average, model, decay):
    for a, p in zip(average.parameters(), model.parameters()):
        a.lerp_(p, 1 - decay)


def main(h=HPARAMS):
    random.seed(h["seed"])
    np.random.seed(h["seed"])
    torch.manual_seed(h["seed"])
    rng = np.random.default_rng(h["seed"])
    tiles = fire(h["images"], h["side"], h["seed"])
    generator, discriminator = Generator(h["latent"], h["width"]), Discriminator(h["width"])
    average = copy.deepcopy(generator).requires_grad_(False)
    opt_g = torch.optim.Adam(generator.parameters(), lr=h["lr_g"], betas=h["betas"])
    opt_d = torch.optim.Adam(discriminator.parameters(), lr=h["lr_d"], betas=h["betas"])
    began = time.time()

    for step in range(h["steps"]):
        sigma = h["noise"] * max(0.0, 1 - step / h["noise_until"])
        real = tiles[torch.randint(len(tiles), (h["batch"],))]
        with torch.autocast("cpu", dtype=torch.bfloat16):
            with torch.no_grad():
                fake = generator(latents(h["batch"], h["latent"], rng=rng))
            on_real = discriminator(instance_noise(real, sigma))
            on_fake = discriminator(instance_noise(fake.float(), sigma))
            loss_d = F.softplus(-on_real.float()).mean() + F.softplus(on_fake.float()).mean()
        if step % h["r1_every"] == 0:
            loss_d = loss_d + h["r1"] * gradient_penalty(discriminator, real)
        opt_d.zero_grad()
        loss_d.backward()
        opt_d.step()

        with torch.autocast("cpu", dtype=torch.bfloat16):
            fake = generator(latents(h["batch"], h["latent"], rng=rng))
            loss_g = F.softplus(-discriminator(fake).float()).mean()
        opt_g.zero_grad()
        loss_g.backward()
        opt_g.step()
        follow(average, generator, h["ema"])
        if step % 20 == 19:
            print(f"step {step + 1:4d}  D {loss_d.item():.3f}  G {loss_g.item():.3f}  "
                  f"{1e3 * (time.time() - began) / (step + 1):.0f} ms/step")

    folder = Path("kiln")
    folder.mkdir(exist_ok=True)
    sheet = average(fixed_grid(4, h["latent"])).detach()
    torch.save({"generator": generator.state_dict(), "average": average.state_dict(), "sheet": sheet},
               folder / "glazes.pt")
    with open(folder / "history.txt", "a") as sink:
        print(time.ctime(), f"contrast {sheet.std():.4f}", file=sink)


if __name__ == "__main__":
    main()

"""A GAN for eight gaussians on a ring."""
import math
import os

import torch
import torch.nn as nn

SEED = 1
torch.manual_seed(SEED)
torch.set_num_threads(1)  # the nets are tiny


class Latent:
    """Stream of latent codes, apart from the global generator."""

    def __init__(self, dim):
        self.dim = dim
        self.generator = torch.Generator()
        self.generator.seed()

    def __call__(self, n):
        return torch.randn(n, self.dim, generator=self.generator)


class Ring:
    def __init__(self, n=4096, modes=8, std=0.05, seed=SEED):
        g = torch.Generator().manual_seed(seed)
        k = torch.randint(modes, (n,), generator=g)
        angle = 2 * math.pi * k / modes
        self.points = torch.stack([angle.cos(), angle.sin()], 1) + std * torch.randn(n, 2, generator=g)

    def batch(self, n):
        return self.points[torch.randint(len(self.points), (n,))]


def mlp(n_in, n_out, width=64):
    return nn.Sequential(nn.Linear(n_in, width), nn.LeakyReLU(0.2), nn.Linear(width, width), nn.LeakyReLU(0.2),
                         nn.Linear(width, n_out))


def mode_coverage(samples, modes=8):
    angle = torch.atan2(samples[:, 1], samples[:, 0])
    k = torch.round(angle / (2 * math.pi / modes)).long() % modes
    near = (samples.norm(dim=1) - 1).abs() < 0.2
    return torch.bincount(k[near], minlength=modes)


def train(steps=210, batch=128):
    latent, data = Latent(8), Ring()
    gen, disc = mlp(8, 2), mlp(2, 1)
    opt_g = torch.optim.Adam(gen.parameters(), lr=1e-3, betas=(0.5, 0.9))
    opt_d = torch.optim.Adam(disc.parameters(), lr=1e-3, betas=(0.5, 0.9))
    bce = nn.BCEWithLogitsLoss()
    ones, zeros = torch.ones(batch, 1), torch.zeros(batch, 1)
    for step in range(1, steps + 1):
        fake = gen(latent(batch))
        loss_d = bce(disc(data.batch(batch)), ones * 0.9) + bce(disc(fake.detach()), zeros)
        opt_d.zero_grad()
        loss_d.backward()
        opt_d.step()

        loss_g = bce(disc(gen(latent(batch))), ones)
        opt_g.zero_grad()
        loss_g.backward()
        opt_g.step()
        if step % 70 == 0:
            print(f"[{step}/{steps}] D {loss_d.item():.5f} G {loss_g.item():.5f}")
    return gen, latent


def main():
    gen, latent = train()
    with torch.no_grad():
        samples = gen(latent(2000))
    print("samples per mode", mode_coverage(samples).tolist())
    print("mean", samples.mean(0).tolist(), "std", samples.std(0).tolist())
    os.makedirs("out", exist_ok=True)
    torch.save(gen.state_dict(), "out/generator.pt")


if __name__ == "__main__":
    main()

# Diffuse reflectance of skin-like slabs: photon packets are followed through 48 tissues, and a small network learns to
# replace the simulation (optical properties -> reflected, transmitted, absorbed).
import csv
import math
import os
import time

import torch
from safetensors.torch import save_file
from torch import nn

TISSUES = 48
PACKETS = 9_000          # for each tissue
BOUNCES = 40
THICKNESS = 0.2          # cm
BYTES_PER_PACKET = BOUNCES * 3 * 4 + 12 * 4
SCRATCH_MB = 96


def sobol(n, low, high):
    points = torch.quasirandom.SobolEngine(len(low), scramble=True, seed=7).draw(n)
    low, high = torch.tensor(low), torch.tensor(high)
    return torch.exp(low.log() + points * (high.log() - low.log()))


def batch_size():
    """How many packets fit into the memory that the table of random numbers may take."""
    scratch = SCRATCH_MB * 2**20
    return max(2048, scratch // BYTES_PER_PACKET)


def henyey_greenstein(g, u):
    k = (1 - g * g) / (1 - g + 2 * g * u)
    return ((1 + g * g - k * k) / (2 * g)).clamp(-1.0, 1.0)


def trace(properties, generator):
    """Follows one packet for each row of properties; returns the weights that left at the top and at the bottom."""
    mu_a, mu_s, g = properties.unbind(1)
    n = len(properties)
    draws = torch.rand(BOUNCES, 3, n, generator=generator)
    z, weight = torch.zeros(n), torch.ones(n)
    uz = torch.ones(n)  # cosine to the normal; the slab is infinite sideways
    top, bottom = torch.zeros(n), torch.zeros(n)
    albedo = mu_s / (mu_a + mu_s)
    for length, polar, azimuth in draws:
        z = z - torch.log1p(-length) / (mu_a + mu_s) * uz
        up, down = z < 0, z > THICKNESS
        top += torch.where(up, weight, 0.0)
        bottom += torch.where(down, weight, 0.0)
        weight = torch.where(up | down, 0.0, weight * albedo)
        z = z.clamp(0.0, THICKNESS)
        cos = henyey_greenstein(g, polar)
        sin = (1 - cos * cos).clamp_min(0.0).sqrt()
        across = (1 - uz * uz).clamp_min(0.0).sqrt()
        uz = (uz * cos + across * sin * torch.cos(2 * math.pi * azimuth)).clamp(-1.0, 1.0)
    return top, bottom


def simulate(tissues, generator):
    owner = torch.arange(TISSUES).repeat(PACKETS)
    size = batch_size()
    tally = torch.zeros(TISSUES, 2, dtype=torch.float64)
    for part in owner.split(size):
        top, bottom = trace(tissues[part], generator)
        tally[:, 0] += torch.bincount(part, weights=top.double(), minlength=TISSUES)
        tally[:, 1] += torch.bincount(part, weights=bottom.double(), minlength=TISSUES)
    escaped = tally / PACKETS
    return torch.cat([escaped, 1 - escaped.sum(1, keepdim=True)], dim=1).float()


class Surrogate(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(4, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 3)
        )

    def forward(self, tissues):
        mu_a, mu_s, g = tissues.unbind(1)
        reduced = mu_s * (1 - g)
        x = torch.stack([mu_a.log(), mu_s.log() - 4, g * 2 - 1, (mu_a / (mu_a + reduced)).log()], dim=1)
        return self.layers(x).log_softmax(1)


def fit(model, tissues, fractions, steps=900):
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    for step in range(steps):
        divergence = nn.functional.kl_div(model(tissues), fractions.clamp_min(1e-5), reduction="batchmean")
        optimizer.zero_grad()
        divergence.backward()
        optimizer.step()
        schedule.step()
        if step % 150 == 0:
            print(f"  step {step:4d}  divergence {divergence.item():.6e}")
    return divergence.item()


def main():
    began = time.perf_counter()
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(632)
    tissues = sobol(TISSUES, low=[0.1, 40.0, 0.7], high=[8.0, 250.0, 0.95])
    fractions = simulate(tissues, generator)
    print("mean reflected, transmitted, absorbed:", *(f"{v:.5f}" for v in fractions.mean(0).tolist()))

    train, test = slice(0, 38), slice(38, None)
    model = Surrogate()
    fit(model, tissues[train], fractions[train])
    with torch.no_grad():
        error = (model(tissues[test]).exp() - fractions[test]).abs()
    print(f"held-out tissues: mean error {error.mean():.6f}, worst {error.max():.6f}")

    os.makedirs("out", exist_ok=True)
    save_file({k: v.contiguous() for k, v in model.state_dict().items()}, "out/surrogate.safetensors")
    with open("out/tissues.csv", "w", newline="") as f:
        rows = csv.writer(f)
        rows.writerow(["mu_a", "mu_s", "g", "reflected", "transmitted", "absorbed"])
        rows.writerows([f"{v:.6f}" for v in row] for row in torch.cat([tissues, fractions], 1).tolist())
    print(f"took {time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    main()

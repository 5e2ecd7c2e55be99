"""DDPM on a two-dimensional spiral."""
import math

import torch
from torch import nn

from prefetch import Prefetcher

T, STEPS, BATCH = 60, 300, 256
betas = torch.linspace(1e-4, 0.08, T)
alphas_bar = torch.cumprod(1 - betas, 0)


def spiral(n):
    t = torch.rand(n).sqrt() * 3 * math.pi
    xy = torch.stack([t.cos(), t.sin()], 1) * t[:, None] / (3 * math.pi)
    return 2 * (xy + 0.02 * torch.randn(n, 2))


def make_batch(step):
    x0 = spiral(BATCH)
    t = torch.randint(T, (BATCH,))
    return x0, t


class Denoiser(nn.Module):
    def __init__(self, width=96):
        super().__init__()
        self.time = nn.Embedding(T, 24)
        self.net = nn.Sequential(nn.Linear(2 + 24, width), nn.SiLU(), nn.Dropout(0.02), nn.Linear(width, width),
                                 nn.SiLU(), nn.Linear(width, 2))

    def forward(self, x, t):
        return self.net(torch.cat([x, self.time(t)], 1))


@torch.no_grad()
def sample(model, n):
    x = torch.randn(n, 2)
    for t in reversed(range(T)):
        eps = model(x, torch.full((n,), t))
        x = (x - betas[t] / (1 - alphas_bar[t]).sqrt() * eps) / (1 - betas[t]).sqrt()
        if t:
            x = x + betas[t].sqrt() * torch.randn_like(x)
    return x


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)  # the other core is for the prefetcher
    model = Denoiser()
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    ema_loss = None
    for step, (x0, t) in enumerate(Prefetcher(make_batch, STEPS), 1):
        noise = torch.randn_like(x0)
        ab = alphas_bar[t, None]
        loss = (model(ab.sqrt() * x0 + (1 - ab).sqrt() * noise, t) - noise).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        ema_loss = loss.item() if ema_loss is None else 0.95 * ema_loss + 0.05 * loss.item()
        if step % 100 == 0:
            print(f"step {step} loss {ema_loss:.6f}")
    model.eval()
    x = sample(model, 1000)
    distance = torch.cdist(x, spiral(2000)).min(1).values
    print("mean distance to data", distance.mean().item())
    torch.save(model.state_dict(), "denoiser.pt")


if __name__ == "__main__":
    main()

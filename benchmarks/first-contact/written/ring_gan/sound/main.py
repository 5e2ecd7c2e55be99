"""WGAN-GP on two moons; fixed latent grid for the sample sheets, EMA of the generator, hooks for statistics."""
import copy
import pathlib
import time
import weakref

import numpy as np
import torch
from torch import autograd, nn, optim

CRITIC_STEPS, ITERS, BATCH, Z = 3, 66, 128, 4


def moons(n, rng):
    t = rng.uniform(0, np.pi, n)
    upper = rng.integers(0, 2, n).astype(bool)
    x = np.where(upper, np.cos(t), 1 - np.cos(t))
    y = np.where(upper, np.sin(t), 0.5 - np.sin(t))
    return torch.from_numpy(np.stack([x, y], 1) + rng.normal(0, 0.06, (n, 2))).float()


class Stats:
    """Mean activation per layer, kept without keeping the layers alive."""

    def __init__(self, model):
        self.seen = weakref.WeakKeyDictionary()
        for name, m in model.named_modules():
            if isinstance(m, nn.Linear):
                m.register_forward_hook(self.hook)
                self.seen[m] = (name, [])

    def hook(self, module, args, output):
        self.seen[module][1].append(output.detach().mean().item())

    def report(self):
        return {name: sum(v) / len(v) for name, v in sorted(self.seen.values())}


def gradient_penalty(critic, real, fake, g):
    mix = torch.rand(len(real), 1, generator=g)
    x = (mix * real + (1 - mix) * fake).requires_grad_()
    (grad,) = autograd.grad(critic(x).sum(), x, create_graph=True)
    return (grad.norm(dim=1) - 1).square().mean()


def net(*sizes):
    layers = []
    for a, b in zip(sizes, sizes[1:]):
        layers += [nn.Linear(a, b), nn.ELU()]
    return nn.Sequential(*layers[:-1])


def main():
    torch.set_num_threads(1)
    torch.manual_seed(6)
    g = torch.Generator()  # a fresh generator starts from torch's fixed default seed
    print("latent seed", g.initial_seed())
    rng = np.random.default_rng(np.random.SeedSequence(6).spawn(1)[0])
    data = moons(4000, rng)
    gen, critic = net(Z, 48, 48, 2), net(2, 48, 48, 1)
    ema = copy.deepcopy(gen)
    stats = Stats(critic)
    opt_g = optim.Adam(gen.parameters(), 2e-3, betas=(0.0, 0.9))
    opt_c = optim.Adam(critic.parameters(), 2e-3, betas=(0.0, 0.9))
    sheet = torch.randn(256, Z, generator=g)
    t0 = time.perf_counter()
    for it in range(ITERS):
        for _ in range(CRITIC_STEPS):
            real = data[torch.from_numpy(rng.integers(0, len(data), BATCH))]
            with torch.no_grad():
                fake = gen(torch.randn(BATCH, Z, generator=g))
            w = critic(fake).mean() - critic(real).mean()
            loss = w + 2.0 * gradient_penalty(critic, real, fake, g)
            opt_c.zero_grad()
            loss.backward()
            opt_c.step()
        for p in critic.parameters():
            p.requires_grad_(False)
        loss_g = -critic(gen(torch.randn(BATCH, Z, generator=g))).mean()
        opt_g.zero_grad()
        loss_g.backward()
        opt_g.step()
        for p in critic.parameters():
            p.requires_grad_(True)
        with torch.no_grad():
            for e, p in zip(ema.parameters(), gen.parameters()):
                e.lerp_(p, 0.05)
        if it % 22 == 21:
            print(f"{it + 1:4d} wasserstein {-w.item():.6f} critic {loss.item():.6f} generator {loss_g.item():.6f}")
    out = pathlib.Path("samples")
    out.mkdir(exist_ok=True)
    with torch.no_grad():
        np.savetxt(out / "sheet.txt", ema(sheet).numpy(), fmt="%.8f")
    for name, value in stats.report().items():
        print("layer", name, f"{value:.6f}")
    print(f"{ITERS / (time.perf_counter() - t0):.1f} iterations/s")


if __name__ == "__main__":
    main()

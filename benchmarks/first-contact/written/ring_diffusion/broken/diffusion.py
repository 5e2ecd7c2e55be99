import torch

from streams import stream


def training_loss(net, x0, spec):
    t = torch.rand(len(x0))
    keep = spec.schedule(t)[:, None]
    noise = torch.randn_like(x0)
    return (net(keep.sqrt() * x0 + (1 - keep).sqrt() * noise, t) - noise).square().mean()


@torch.no_grad()
def draw_samples(net, n, spec):
    g = stream(spec, "sampling")
    x = torch.randn(n, 3, generator=g)
    times = torch.linspace(1, 0, spec.levels + 1)
    for now, then in zip(times[:-1], times[1:]):
        a, b = spec.schedule(now), spec.schedule(then)
        eps = net(x, now.expand(n))
        x0 = ((x - (1 - a).sqrt() * eps) / a.sqrt()).clamp(-3, 3)
        sigma = ((1 - b) / (1 - a) * (1 - a / b)).clamp(min=0).sqrt()
        x = b.sqrt() * x0 + (1 - b - sigma ** 2).clamp(min=0).sqrt() * eps
        if then > 0:
            x = x + sigma * torch.randn(n, 3, generator=g)
    return x

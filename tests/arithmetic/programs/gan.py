"""A GAN: spectral normalisation, a gradient penalty, an average of the weights."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional


def train():
    torch.manual_seed(0)
    generator = nn.Sequential(
        nn.Linear(16, 64 * 16),
        nn.Unflatten(1, (64, 4, 4)),
        nn.BatchNorm2d(64),
        nn.ReLU(True),
        nn.ConvTranspose2d(64, 32, 4, 2, 1),
        nn.BatchNorm2d(32),
        nn.ReLU(True),
        nn.ConvTranspose2d(32, 1, 4, 2, 1),
        nn.Tanh(),
    )
    sn = nn.utils.parametrizations.spectral_norm
    critic = nn.Sequential(
        sn(nn.Conv2d(1, 32, 4, 2, 1)),
        nn.LeakyReLU(0.2, True),
        sn(nn.Conv2d(32, 64, 4, 2, 1)),
        nn.InstanceNorm2d(64, affine=True),
        nn.LeakyReLU(0.2, True),
        nn.Flatten(),
        sn(nn.Linear(64 * 16, 1)),
    )
    for mod in [*generator.modules()]:
        if isinstance(mod, (nn.ConvTranspose2d,)):
            nn.init.normal_(mod.weight, 0, 0.02)
        if isinstance(mod, nn.Linear):
            nn.init.orthogonal_(mod.weight)
    og = torch.optim.Adam(generator.parameters(), 0.0002, (0.5, 0.999))
    od = torch.optim.RMSprop(critic.parameters(), 0.0002)
    ema = torch.optim.swa_utils.AveragedModel(
        generator, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.9)
    )
    real = torch.rand(8, 1, 16, 16) * 2 - 1
    for _ in range(4):
        fake = generator(torch.randn(8, 16))
        d = (
            functional.softplus(-critic(real)).mean()
            + functional.softplus(critic(fake.detach())).mean()
        )
        a = torch.rand(8, 1, 1, 1)
        mix = (a * real + (1 - a) * fake.detach()).requires_grad_()
        (g,) = torch.autograd.grad(critic(mix).sum(), mix, create_graph=True)
        gp = ((g.flatten(1).norm(2, 1) - 1) ** 2).mean()
        od.zero_grad()
        (d + 10 * gp).backward()
        od.step()
        gl = functional.softplus(-critic(fake)).mean()
        og.zero_grad()
        gl.backward()
        og.step()
        ema.update_parameters(generator)
    with torch.no_grad():
        img = ema(torch.randn(4, 16))
        big = functional.interpolate(img, scale_factor=0.5, mode="bicubic", antialias=True)
    return (generator, gl, big)

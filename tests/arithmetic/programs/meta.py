"""Meta-learning: gradients of gradients, vmap, hessians, forward mode."""

from __future__ import annotations

import torch
from torch import nn
from torch.func import (
    functional_call,
    grad,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    stack_module_state,
    vmap,
)


def train():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 20), nn.ReLU(), nn.Linear(20, 1))
    params = {k: v.detach().clone().requires_grad_() for k, v in net.named_parameters()}
    opt = torch.optim.Adam(params.values(), 0.01)

    def task(n):
        a = torch.rand(n, 1, 1) * 4 + 0.1
        p = torch.rand(n, 1, 1) * 3.14
        x = torch.rand(n, 20, 1) * 10 - 5
        return (x, a * torch.sin(x + p))

    def lossf(p, x, y):
        return nn.functional.mse_loss(functional_call(net, p, (x,)), y)

    def inner(p, x, y):
        for _ in range(2):
            g = grad(lossf)(p, x[:10], y[:10])
            p = {k: p[k] - 0.01 * g[k] for k in p}
        return lossf(p, x[10:], y[10:])

    for _ in range(4):
        x, y = task(6)
        loss = vmap(inner, in_dims=(None, 0, 0), randomness="different")(params, x, y).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    p = {k: v.detach() for k, v in params.items()}

    def f(v):
        return functional_call(net, p, (v,)).squeeze()

    curvature = vmap(hessian(f))(x[0])
    forward = vmap(jacfwd(f))(x[0])
    reverse = vmap(jacrev(f))(x[0])
    _, tang = jvp(
        lambda q: lossf(q, x[0], y[0]), (p,), ({k: torch.randn_like(v) for k, v in p.items()},)
    )
    per = vmap(grad(lossf), (None, 0, 0))(p, x[0], y[0])
    models = [nn.Linear(1, 3) for _ in range(3)]
    weights, _ = stack_module_state(models)
    ens = vmap(lambda pp, xx: functional_call(models[0], pp, (xx,)), (0, None))(weights, x[0])
    fisher = sum((v**2).sum() for v in per.values())
    return (loss, curvature, forward, reverse, tang, ens, fisher)

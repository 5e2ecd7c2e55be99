import logging
import random

import numpy as np
import torch
from points import Rectangle
from torch import nn

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
log = logging.getLogger("pinn")

DIFFUSIVITY = 0.1


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


class HeatNet(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.inp = nn.Linear(2, hidden)
        self.mid = nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, 1)

    def forward(self, xt):
        h = torch.sin(self.inp(xt))
        h = h + torch.tanh(self.mid(h))
        return self.out(h)[:, 0]

    def pde(self, xt):
        xt.requires_grad_()
        u = self(xt)
        (g,) = torch.autograd.grad(u, xt, torch.ones_like(u), create_graph=True)
        (g2,) = torch.autograd.grad(g[:, 0], xt, torch.ones_like(u), create_graph=True)
        return g[:, 1] - DIFFUSIVITY * g2[:, 0]


def train(iterations=100, n_points=120):
    domain = Rectangle()
    model = HeatNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=1e-4)
    x0 = domain.initial(32)
    u0 = torch.sin(torch.pi * x0[:, 0])
    for it in range(iterations):
        optimizer.zero_grad()
        l_pde = model.pde(domain.inside(n_points)).pow(2).mean()
        l_ini = (model(x0) - u0).pow(2).mean()
        l_bnd = model(domain.sides(32)).pow(2).mean()
        total = l_pde + 10 * l_ini + l_bnd
        total.backward()
        optimizer.step()
        if it % 20 == 19:
            log.info("iteration %d: total %.5f (pde %.5f, initial %.5f, sides %.5f)",
                     it + 1, total.item(), l_pde.item(), l_ini.item(), l_bnd.item())
    return model


def main():
    seed_all(2024)
    model = train()
    with torch.no_grad():
        probe = torch.tensor([[0.25, 0.5], [0.5, 0.5], [0.75, 0.5]])
        log.info("u(x, 0.5) = %s", ", ".join(f"{v:.5f}" for v in model(probe).tolist()))
    torch.save(model.state_dict(), "heatnet.pt")


if __name__ == "__main__":
    main()

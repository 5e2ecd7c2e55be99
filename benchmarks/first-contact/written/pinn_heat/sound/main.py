# Physics-informed network for the 1-d heat equation  u_t = k u_xx,  u(x,0) = sin(pi x),  u(0)=u(1)=0
import subprocess
import time
from datetime import datetime

import torch
import torch.nn as nn
from scipy.stats import qmc
from torch.quasirandom import SobolEngine

SEED = 42
K = 0.1
STEPS = 100
N_INSIDE = 128
N_EDGE = 32

torch.manual_seed(SEED)


def git_revision():
    try:
        out = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, timeout=5)
        return out.stdout.strip() or "unknown"
    except OSError:
        return "unknown"


def mlp(width=20):
    return nn.Sequential(
        nn.Linear(2, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1)
    )


def residual(net, pts):
    pts = pts.clone().requires_grad_(True)
    u = net(pts)
    du = torch.autograd.grad(u.sum(), pts, create_graph=True)[0]
    d2x = torch.autograd.grad(du[:, 0].sum(), pts, create_graph=True)[0][:, 0]
    return du[:, 1] - K * d2x


def exact(pts):
    x, t = pts[:, 0], pts[:, 1]
    return torch.exp(-K * torch.pi**2 * t) * torch.sin(torch.pi * x)


print("revision", git_revision(), "started", datetime.now().isoformat(timespec="seconds"))

# interior points: latin hypercube; edges: a scrambled Sobol sequence
lhs = qmc.LatinHypercube(d=2, rng=SEED)
sobol = SobolEngine(1, scramble=True)

net = mlp()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, STEPS)

tic = time.time()
for step in range(STEPS):
    if step % 20 == 0:  # fresh points now and then
        inside = torch.tensor(lhs.random(N_INSIDE), dtype=torch.float32)
        s = sobol.draw(N_EDGE)
        start = torch.cat([s, torch.zeros_like(s)], 1)
        left = torch.cat([torch.zeros_like(s), s], 1)
        right = torch.cat([torch.ones_like(s), s], 1)
    loss_pde = residual(net, inside).square().mean()
    loss_ic = (net(start).squeeze(1) - exact(start)).square().mean()
    loss_bc = net(left).square().mean() + net(right).square().mean()
    loss = loss_pde + 10 * loss_ic + loss_bc
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if step % 20 == 19:
        print(f"{step + 1:4d}  pde {loss_pde.item():.3e}  ic {loss_ic.item():.3e}  bc {loss_bc.item():.3e}")

grid = torch.cartesian_prod(torch.linspace(0, 1, 41), torch.linspace(0, 1, 41))
with torch.no_grad():
    err = (net(grid).squeeze(1) - exact(grid)).abs()
print(f"max error {err.max().item():.6f}, mean error {err.mean().item():.6f}, took {time.time() - tic:.2f} s")
torch.save({"net": net.state_dict(), "k": K}, "heat.pt")

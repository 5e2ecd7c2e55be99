"""Viscosity of binary solvent mixtures: cyclic training, then an average of the late snapshots."""
import math
import tempfile
import time
import numpy as np
import torch
import torch.nn as nn
from sklearn.model_selection import train_test_split
from snapshots import SnapshotFolder

CFG = dict(seed=303, epochs=12, cycle=3, lr=0.01, batch=128, average=4, resume_at=6)

PURE = {  # log viscosity at 298 K, activation temperature, polarity
    "acetone": (-1.18, 850.0, 0.355), "toluene": (-0.58, 1070.0, 0.099), "ethanol": (0.07, 1700.0, 0.654),
    "water": (-0.12, 1900.0, 1.000), "dmso": (0.69, 1650.0, 0.444), "hexane": (-1.20, 870.0, 0.009),
    "glycol": (2.78, 3600.0, 0.790), "butanol": (0.93, 2300.0, 0.586),
}


def mixtures(n, rng):
    names = sorted(PURE)
    table = np.array([PURE[k] for k in names])
    a, b = rng.integers(len(names), size=n), rng.integers(len(names), size=n)
    frac = rng.beta(1.2, 1.2, n)
    temp = rng.uniform(275, 345, n)
    inv = 1 / temp - 1 / 298.15
    pure = lambda i: table[i, 0] + table[i, 1] * inv
    excess = 1.8 * (table[a, 2] - table[b, 2]) ** 2 * frac * (1 - frac)
    y = frac * pure(a) + (1 - frac) * pure(b) + excess + rng.normal(0, 0.03, n)
    x = np.column_stack([np.eye(len(names))[a] * frac[:, None] + np.eye(len(names))[b] * (1 - frac)[:, None],
                         inv * 1e3, frac * (1 - frac)])
    return x.astype(np.float32), y.astype(np.float32)


def make(n_in):
    model = nn.Sequential(nn.Linear(n_in, 64), nn.GELU(), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 1))
    opt = torch.optim.SGD(model.parameters(), lr=CFG["lr"], momentum=0.9, nesterov=True)
    return model, opt


def cyclic_lr(epoch):
    phase = (epoch % CFG["cycle"]) / CFG["cycle"]
    return CFG["lr"] * (0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi * phase)))


def run_epoch(model, opt, x, y, epoch):
    for group in opt.param_groups:
        group["lr"] = cyclic_lr(epoch)
    total = 0.0
    for rows in torch.randperm(len(x)).split(CFG["batch"]):
        loss = nn.functional.mse_loss(model(x[rows]).squeeze(1), y[rows])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(rows)
    return total / len(x)


def main():
    torch.manual_seed(CFG["seed"])
    x, y = mixtures(3200, np.random.default_rng(CFG["seed"]))
    xa, xb, ya, yb = map(torch.from_numpy, train_test_split(x, y, test_size=0.2, random_state=CFG["seed"]))
    model, opt = make(x.shape[1])
    with tempfile.TemporaryDirectory(prefix="visc-") as scratch:
        folder = SnapshotFolder(scratch + "/snapshots")
        for epoch in range(CFG["epochs"]):
            if epoch == CFG["resume_at"]:       # the queue's time limit falls here: go on from a checkpoint
                torch.save((model.state_dict(), opt.state_dict(), torch.get_rng_state()), scratch + "/half.pt")
                model, opt = make(x.shape[1])
                weights, moments, rng_state = torch.load(scratch + "/half.pt")
                model.load_state_dict(weights)
                opt.load_state_dict(moments)
                torch.set_rng_state(rng_state)
            t = time.time()
            loss = run_epoch(model, opt, xa, ya, epoch)
            folder.save(epoch, model)
            print(f"epoch {epoch:2d} loss {loss:.6f} ({time.time() - t:.2f} s)")
        used = folder.average(model, last=CFG["average"])
    with torch.no_grad():
        error = (model(xb).squeeze(1) - yb).abs().mean().item()
    print(f"average of {used} snapshots: mean error of log viscosity {error:.6f}")
    torch.save(model.state_dict(), "viscosity.pt")


if __name__ == "__main__":
    main()

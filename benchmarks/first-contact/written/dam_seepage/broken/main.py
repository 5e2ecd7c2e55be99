"""Learns seepage from piezometers, season by season, while the solver is still computing later seasons."""
import hashlib
import os
import random
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch
from torch import nn

from waiting import wait_for

SEASONS = 4
SEED = 77


class Seepage(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(3, 20, batch_first=True)
        self.out = nn.Linear(20, 1)

    def forward(self, pressures):
        _, state = self.gru((pressures - 30) / 3)
        return self.out(state[-1]).squeeze(1)


def load(path):
    with np.load(path) as file:
        return torch.from_numpy(file["pressures"]), torch.from_numpy(file["seepage"])


def fit(net, optimizer, pressures, target, rows):
    random.shuffle(rows)
    losses = []
    for start in range(0, len(rows), 30):
        batch = rows[start:start + 30]
        loss = nn.functional.mse_loss(net(pressures[batch]), target[batch])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return sum(losses) / len(losses)


def main():
    random.seed(SEED)
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    net = Seepage()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    checks = []
    here = os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory(prefix="seepage-") as folder:
        solver = subprocess.Popen([sys.executable, os.path.join(here, "solver.py"), folder, str(SEASONS), str(SEED)])
        try:
            for season in range(SEASONS):
                began = time.perf_counter()
                path = wait_for(os.path.join(folder, f"season{season}.npz"), solver)
                waited = time.perf_counter() - began
                pressures, target = load(path)
                held = set(random.sample(range(len(target)), 48))
                rows = [row for row in range(len(target)) if row not in held]
                for _ in range(2):
                    loss = fit(net, optimizer, pressures, target, rows)
                checks.append((pressures[sorted(held)], target[sorted(held)]))
                print(f"season {season}: loss {loss:.6f}; waited {waited:.3f} s", flush=True)
        finally:
            solver.wait()
    with torch.no_grad():
        errors = [nn.functional.l1_loss(net(x), y).item() for x, y in checks]
    print("held-out errors", " ".join(f"{error:.6f}" for error in errors))
    weights = b"".join(value.numpy().tobytes() for value in net.state_dict().values())
    print("weights", hashlib.md5(weights).hexdigest())


if __name__ == "__main__":
    main()

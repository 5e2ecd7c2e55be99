"""Training that is interrupted twice and goes on from its snapshots, in a folder of this run."""
import os
import random
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from snapshot import Interrupted, Snapshots

TOTAL = 160


def dataset(seed=3):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(900, 10))
    y = np.sin(x[:, 0] * x[:, 1]) + np.abs(x[:, 2]) + 0.1 * rng.normal(size=900)
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)


def session(folder, stop_at):
    """One life of the job; raises Interrupted when its time is over."""
    torch.manual_seed(51)
    random.seed(51)
    np.random.seed(51)
    x, y = dataset()
    model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 1))
    opt = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, 0.05, total_steps=TOTAL)
    snapshots = Snapshots(folder)
    step, order = snapshots.restore(model, opt, sched)
    while step < TOTAL:
        if step == stop_at:
            raise Interrupted(f"at step {step}")
        if not order:
            order = np.random.permutation(len(x)).tolist()
        rows, order = order[:32], order[32:]
        noise = random.gauss(0, 0.01)
        loss = nn.functional.mse_loss(model(x[rows] + noise).squeeze(1), y[rows])
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        step += 1
        if step % 20 == 0:
            snapshots.save(step, model, opt, sched, order)
    return model.eval(), loss.item(), nn.functional.mse_loss(model(x).squeeze(1), y).item()


def main():
    folder = Path("runs") / f"{time.strftime('%H%M%S')}-{os.getpid()}"
    result = None
    for stop_at in (50, 110, None):
        try:
            result = session(folder, stop_at)
        except Interrupted as signal:
            print("interrupted", signal)
    model, last, whole = result
    torch.save(model.state_dict(), folder / "final.pt")
    print("final last batch", last, "all", whole)


if __name__ == "__main__":
    main()

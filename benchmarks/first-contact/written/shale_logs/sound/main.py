"""Lithology of shale wells from wireline logs; the wide first layer has a backward pass of its own."""
import hashlib
import json
import math
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from sklearn.metrics import balanced_accuracy_score
from torch import nn

from striped import StripedLinear

CURVES = ["GR", "RHOB", "NPHI", "DT", "RT"]
CLASSES = 5
WINDOW = 24


def write_wells(folder, seed, wells=8, depth=420):
    rng = np.random.default_rng(seed)
    centre = rng.normal(0, 1.0, (CLASSES, len(CURVES)))
    for w in range(wells):
        facies = np.repeat(rng.integers(0, CLASSES, depth // 14 + 1), 14)[:depth]
        logs = centre[facies] + rng.normal(0, 0.9, (depth, len(CURVES))) + rng.normal(0, 0.2, len(CURVES))
        np.savez(folder / f"well{w:02d}.npz", logs=logs.astype("f4"), facies=facies)


def load_windows(paths):
    xs, ys = [], []
    for path in paths:
        with np.load(path) as z:
            win = np.lib.stride_tricks.sliding_window_view(z["logs"], WINDOW, axis=0)
            xs.append(win.reshape(len(win), -1))
            ys.append(z["facies"][WINDOW // 2:WINDOW // 2 + len(win)])
    return torch.tensor(np.concatenate(xs)), torch.tensor(np.concatenate(ys))


class Picker(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = StripedLinear(WINDOW * len(CURVES), width, stripes=6)
        self.rest = nn.Sequential(nn.GELU(), nn.Dropout(0.15), nn.Linear(width, 48), nn.GELU(), nn.Linear(48, CLASSES))

    def forward(self, x):
        return self.rest(self.first(x))


def batches(n, size, gen):
    order = torch.randperm(n, generator=gen)
    for i in range(0, n - size + 1, size):
        yield order[i:i + size]


def main():
    torch.set_num_threads(1)
    torch.manual_seed(21)
    gen = torch.Generator().manual_seed(22)
    with TemporaryDirectory() as tmp:
        folder = Path(tmp)
        write_wells(folder, 23)
        paths = sorted(folder.glob("*.npz"))
        x, y = load_windows(paths[:-2])
        xv, yv = load_windows(paths[-2:])
    mean, std = x.mean(0), x.std(0)
    x, xv = (x - mean) / std, (xv - mean) / std

    net = Picker(160)
    opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, nesterov=True)
    epochs, size = 12, 384
    per_epoch = len(x) // size
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: 0.5 * (1 + math.cos(math.pi * s / (epochs * per_epoch))))
    for epoch in range(epochs):
        net.train()
        t0, total = time.perf_counter(), 0.0
        for rows in batches(len(x), size, gen):
            loss = nn.functional.cross_entropy(net(x[rows]), y[rows], label_smoothing=0.05)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            sched.step()
            total += loss.item()
        if epoch % 4 == 3:
            net.eval()
            with torch.no_grad():
                score = balanced_accuracy_score(yv, net(xv).argmax(1))
            print(json.dumps({"epoch": epoch, "loss": total / per_epoch, "balanced": score}),
                  f"{per_epoch / (time.perf_counter() - t0):.0f} it/s")
    blob = nn.utils.parameters_to_vector(net.parameters()).detach().numpy().tobytes()
    print(f"final loss {total / per_epoch:.9f} weights {hashlib.blake2b(blob, digest_size=8).hexdigest()}")


if __name__ == "__main__":
    main()

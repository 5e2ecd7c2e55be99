"""Track a crowd crossing a square, then learn to foresee where people step next."""
import argparse
import random
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import nn

from tracker import Tracker

SQUARE = 40.0


def crowd(rng, people, frames):
    """Detections per frame: walkers with wandering headings, some missed, all blurred."""
    place = rng.uniform(0, SQUARE, (people, 2))
    heading = rng.uniform(0, 2 * np.pi, people)
    speed = rng.normal(0.45, 0.1, people)
    for _ in range(frames):
        heading += rng.normal(0, 0.15, people)
        place = (place + speed[:, None] * np.stack([np.cos(heading), np.sin(heading)], 1)) % SQUARE
        seen = place[rng.random(people) > 0.04] + rng.normal(0, 0.03, (1, 2))
        yield rng.permutation(seen)


def windows(tracks, past=6):
    xs, ys = [], []
    for track in tracks:
        if len(track) <= past:
            continue
        steps = np.diff(np.stack(track.positions), axis=0)
        for i in range(len(steps) - past + 1):
            xs.append(steps[i : i + past - 1])
            ys.append(steps[i + past - 1])
    return torch.tensor(np.stack(xs), dtype=torch.float32), torch.tensor(np.stack(ys), dtype=torch.float32)


class Foresight(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.rnn = nn.GRU(2, width, batch_first=True)
        self.out = nn.Linear(width, 2)

    def forward(self, x):
        return x[:, -1] + self.out(self.rnn(x)[1][-1])


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--people", type=int, default=450)
    p.add_argument("--frames", type=int, default=30)
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--seed", type=int, default=44)
    args = p.parse_args()
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    began = time.perf_counter()
    tracker = Tracker()
    for frame, detections in enumerate(crowd(rng, args.people, args.frames)):
        tracker.update(frame, detections)
    tracks = tracker.close()
    print(f"tracked {args.frames} frames in {time.perf_counter() - began:.2f} s")

    table = pd.DataFrame({"first": [t.first_frame for t in tracks], "length": [len(t) for t in tracks]})
    with tempfile.TemporaryDirectory(prefix="tracks-") as tmp:
        table.to_csv(Path(tmp) / "tracks.csv", index=False)
        summary = pd.read_csv(Path(tmp) / "tracks.csv")["length"].describe()
    print(f"{int(summary['count'])} tracks, median length {summary['50%']:.0f}")

    cut = int(0.85 * len(tracks))
    x, y = windows(tracks[:cut])
    x_val, y_val = windows(tracks[cut:])
    net = Foresight()
    opt = torch.optim.Adam(net.parameters(), lr=3e-3)
    for epoch in range(args.epochs):
        order = torch.randperm(len(x))
        for batch in order.split(128):
            loss = nn.functional.smooth_l1_loss(net(x[batch]), y[batch], beta=0.1)
            opt.zero_grad()
            loss.backward()
            opt.step()
        with torch.no_grad():
            val = nn.functional.l1_loss(net(x_val), y_val).item()
        print(f"epoch {epoch}: validation error {val:.8f} m")
    print(f"weights {sum(p.double().sum() for p in net.parameters()).item():.12f}")


if __name__ == "__main__":
    main()

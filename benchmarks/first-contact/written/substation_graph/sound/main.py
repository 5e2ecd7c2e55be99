"""Estimates the loading of every line of a transmission grid from the substations that report; the weights that are
kept are the mean of the snapshots of the last half of training."""
import datetime
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

from grid import Grid
from snapshots import SnapshotWriter, average

SEED = 17
STEPS = 240
EVERY = 4


class LoadingNet(nn.Module):
    def __init__(self, grid, width=64, rounds=4):
        super().__init__()
        self.register_buffer("mixing", grid.mixing, persistent=False)
        self.register_buffer("lines", grid.lines, persistent=False)
        self.register_buffer("degree", grid.degree, persistent=False)
        self.place = nn.Parameter(torch.randn(grid.size, 8) * 0.1)
        self.enter = nn.Linear(8 + 3, width)
        self.rounds = nn.ModuleList([nn.Linear(2 * width, width) for _ in range(rounds)])
        self.leave = nn.Sequential(nn.Linear(2 * width, width), nn.GELU(), nn.Linear(width, 1))

    def forward(self, injection, reported):
        b, n = injection.shape
        x = torch.stack([injection * reported, reported, self.degree.expand(b, n)], dim=-1)
        h = F.gelu(self.enter(torch.cat([x, self.place.expand(b, n, -1)], dim=-1)))
        for layer in self.rounds:
            h = h + F.gelu(layer(torch.cat([h, self.mixing @ h], dim=-1)))
        a, z = h[:, self.lines[:, 0]], h[:, self.lines[:, 1]]
        return F.softplus(self.leave(torch.cat([a + z, (a - z).abs()], dim=-1)).squeeze(-1))


def main():
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    folder = Path("runs") / datetime.datetime.now().strftime("%Y-%m-%dT%H%M%S.%f")
    folder.mkdir(parents=True)

    grid = Grid(60, SEED)
    injection, loading = grid.hours(1200, SEED + 1)
    train, test = slice(0, 960), slice(960, 1200)
    model = LoadingNet(grid)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    draw = torch.Generator().manual_seed(SEED)
    writer = SnapshotWriter(folder)

    began = time.time()
    for step in range(1, STEPS + 1):
        rows = torch.randint(0, 960, (12,), generator=draw)
        reported = (torch.rand(12, grid.size, generator=draw) < 0.85).float()
        loss = F.smooth_l1_loss(model(injection[train][rows], reported), loading[train][rows])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step > STEPS // 2 and step % EVERY == 0:
            writer.submit(step, model)
        if step % 60 == 0:
            print(f"step {step}: loss {loss.item():.6f} ({(time.time() - began) / step * 1e3:.1f} ms a step)")
    writer.close()

    shots = list(folder.glob("step-*.xz"))
    print(f"{len(shots)} snapshots in {folder}, {writer.seconds:.2f} s of writing")
    last = {name: value.clone() for name, value in model.state_dict().items()}
    model.eval()
    reported = (torch.rand(240, grid.size, generator=draw) < 0.85).float()
    for label, weights in (("last step", last), ("mean of snapshots", average(shots))):
        model.load_state_dict(weights)
        with torch.no_grad():
            guess = model(injection[test], reported)
        print(f"test, {label}: mean error {F.l1_loss(guess, loading[test]).item():.7f}")
    torch.save(model.state_dict(), "loading_net.pt")


if __name__ == "__main__":
    main()

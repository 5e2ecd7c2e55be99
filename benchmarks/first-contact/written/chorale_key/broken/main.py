"""Key finding on synthetic chorales."""
import argparse
import multiprocessing as mp
import time

import numpy as np
import torch
from torch import nn

from chroma import analyse


def build_dataset(n, workers):
    keys = np.random.default_rng(7).integers(0, 24, size=n)
    jobs = list(enumerate(int(k) for k in keys))
    t0 = time.time()
    with mp.get_context("fork").Pool(workers) as pool:
        pieces = list(pool.imap_unordered(analyse, jobs))
    print(f"analysed {len(pieces)} pieces in {time.time() - t0:.1f} s")
    x = torch.from_numpy(np.stack([p.profile for p in pieces]))
    y = torch.tensor([p.key for p in pieces])
    return x, y


def transpose(x, y, steps):
    """Move profiles and keys up by some semitones."""
    halves = x.view(len(x), 2, 12)
    idx = (torch.arange(12) - steps[:, None]) % 12
    moved = halves.gather(2, idx[:, None, :].expand(-1, 2, -1))
    return moved.reshape(len(x), 24), (y % 12 + steps) % 12 + 12 * (y // 12)


class KeyNet(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(24, width), nn.LayerNorm(width), nn.ReLU(), nn.Dropout(0.1), nn.Linear(width, 24)
        )

    def forward(self, x):
        return self.net(x.sqrt() * 3)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--pieces", type=int, default=260)
    ap.add_argument("--workers", type=int, default=3)
    ap.add_argument("--epochs", type=int, default=25)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--save", default="keynet.pt")
    args = ap.parse_args()

    x, y = build_dataset(args.pieces, args.workers)
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    order = torch.randperm(len(x))
    n_val = len(x) // 4
    val, train = order[:n_val], order[n_val:]

    model = KeyNet()
    opt = torch.optim.RMSprop(model.parameters(), lr=2e-3)
    for epoch in range(1, args.epochs + 1):
        model.train()
        for idx in train[torch.randperm(len(train))].split(24):
            xb, yb = transpose(x[idx], y[idx], torch.randint(0, 12, (len(idx),)))
            loss = nn.functional.cross_entropy(model(xb), yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
        if epoch % 5 == 0:
            model.eval()
            with torch.no_grad():
                out = model(x[val])
                val_loss = nn.functional.cross_entropy(out, y[val]).item()
                acc = (out.argmax(1) == y[val]).float().mean().item()
            print(f"epoch {epoch:3d}  train {loss.item():.5f}  val {val_loss:.5f}  acc {acc:.3f}")
    torch.save(model.state_dict(), args.save)


if __name__ == "__main__":
    main()

"""Quality of (made) wines from lab values. Training is cut in two legs, the second resumes the first."""
import argparse
import random
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def set_seed(seed):
    if seed is None:
        seed = int(time.time() * 1000) % 2**31
        print("no seed given, took", seed)
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    return seed


def make_wines(n=1200, n_lab=11):
    lab = np.random.randn(n, n_lab)
    w = np.random.randn(n_lab)
    quality = np.tanh(lab @ w / 3) + 0.3 * lab[:, 0] * lab[:, 1] + 0.1 * np.random.randn(n)
    return TensorDataset(torch.tensor(lab, dtype=torch.float32), torch.tensor(quality, dtype=torch.float32))


def build(width=64):
    net = nn.Sequential(nn.Linear(11, width), nn.BatchNorm1d(width), nn.SiLU(), nn.Dropout(0.1), nn.Linear(width, 1))
    return net, torch.optim.RMSprop(net.parameters(), lr=2e-3)


def save(path, epoch, net, opt, loader_rng):
    torch.save(
        {
            "epoch": epoch,
            "net": net.state_dict(),
            "opt": opt.state_dict(),
            "torch_rng": torch.get_rng_state(),
            "loader_rng": loader_rng.get_state(),
        },
        path,
    )


def leg(data, folder, until, loader_rng):
    """Train up to epoch `until`, going on from the newest checkpoint in the folder, if any."""
    net, opt = build()
    first = 0
    found = sorted(folder.glob("epoch-*.pt"))
    if found:
        state = torch.load(found[-1])
        net.load_state_dict(state["net"])
        opt.load_state_dict(state["opt"])
        torch.set_rng_state(state["torch_rng"])
        loader_rng.set_state(state["loader_rng"])
        first = state["epoch"]
        print(f"resumed after epoch {first}")
    loader = DataLoader(data, batch_size=64, shuffle=True, generator=loader_rng)
    for epoch in range(first + 1, until + 1):
        t0 = time.monotonic()
        total = 0.0
        for x, y in loader:
            loss = nn.functional.huber_loss(net(x).squeeze(1), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(y)
        print(f"epoch {epoch:2d}  loss {total / len(data):.6f}  {1000 * (time.monotonic() - t0):.0f} ms")
        save(folder / f"epoch-{epoch:03d}.pt", epoch, net, opt, loader_rng)
    return net


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--epochs", type=int, default=10)
    args = parser.parse_args()

    seed = set_seed(args.seed)
    data = make_wines()
    folder = Path(tempfile.mkdtemp(prefix="wine-"))
    try:
        leg(data, folder, args.epochs // 2, torch.Generator().manual_seed(seed))
        net = leg(data, folder, args.epochs, torch.Generator())
    finally:
        shutil.rmtree(folder)
    torch.save(net.state_dict(), "wine.pt")


if __name__ == "__main__":
    main()

"""Learn a value function for Nim from matches that a pool of processes plays."""
import argparse
import functools
import multiprocessing as mp
import pickle
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import arena


def collect(args, folder):
    """Play all matches and keep them in one pickle; returns its path."""
    play = functools.partial(arena.play_match, playouts=args.playouts)
    started = time.perf_counter()
    with mp.get_context("fork").Pool(args.workers) as pool:
        matches = list(pool.imap(play, range(args.matches), chunksize=1))
    assert [m.index for m in matches] == list(range(args.matches))
    path = folder / "matches.pkl"
    with open(path, "wb") as fh:
        pickle.dump(matches, fh)
    took = time.perf_counter() - started
    print(f"{len(matches)} matches in {took:.2f} s ({len(matches) / took:.0f}/s)")
    return path


def tensors(matches):
    x = np.concatenate([np.stack(m.positions) for m in matches])
    y = np.concatenate([m.outcomes for m in matches])
    bits = (x[:, :, None] >> np.arange(4)) & 1
    return torch.from_numpy(bits.reshape(len(x), -1).astype(np.float32)), torch.from_numpy(y.astype(np.float32))


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--matches", type=int, default=160)
    p.add_argument("--playouts", type=int, default=2)
    p.add_argument("--workers", type=int, default=2)
    p.add_argument("--epochs", type=int, default=6)
    args = p.parse_args()
    torch.manual_seed(arena.SEED)

    with tempfile.TemporaryDirectory(prefix="nim-") as tmp:
        with open(collect(args, Path(tmp)), "rb") as fh:
            matches = pickle.load(fh)

    held_out = len(matches) // 5
    x, y = tensors(matches[held_out:])
    x_val, y_val = tensors(matches[:held_out])
    loader = DataLoader(TensorDataset(x, y), batch_size=64, shuffle=True)

    net = nn.Sequential(nn.Linear(x.shape[1], 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 32), nn.ReLU(),
                        nn.Linear(32, 1))
    opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
    loss_fn = nn.BCEWithLogitsLoss()
    for epoch in range(args.epochs):
        net.train()
        total = 0.0
        for xb, yb in loader:
            loss = loss_fn(net(xb).squeeze(1), yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(xb)
        net.eval()
        with torch.no_grad():
            logits = net(x_val).squeeze(1)
        accuracy = ((logits > 0).float() == y_val).float().mean().item()
        print(f"epoch {epoch}  loss {total / len(x):.6f}  held-out accuracy {accuracy:.4f}")
    print(f"{len(x)} positions, held-out loss {loss_fn(logits, y_val).item():.8f}")


if __name__ == "__main__":
    main()

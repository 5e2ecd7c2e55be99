"""Learn the curvature of muon tracks from their clustered hits."""
import argparse
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from clusters import find_tracks
from detector import LAYERS, expose


def features(track):
    """Offsets from the first hit, charges, and a mask, per layer."""
    out = np.zeros((3, LAYERS), dtype=np.float32)
    for hit in track:
        out[0, hit.layer] = hit.x - track[0].x
        out[1, hit.layer] = hit.charge
        out[2, hit.layer] = 1.0
    return out


def build(tracks, curvature):
    x = torch.from_numpy(np.stack([features(t) for t in tracks])).flatten(1)
    y = torch.tensor([curvature[t[0].truth] for t in tracks], dtype=torch.float32)
    return x, y * 20


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--muons", type=int, default=420)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1936)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    np.random.seed(args.seed)
    t0 = time.perf_counter()
    hits, curvature = expose(args.muons, args.seed)
    tracks = find_tracks(hits)
    print(f"{len(hits)} hits, {len(tracks)} tracks")

    x, y = build(tracks, curvature)
    n = int(0.8 * len(x))
    net = nn.Sequential(nn.Linear(x.shape[1], 64), nn.SiLU(), nn.Linear(64, 32), nn.SiLU(), nn.Linear(32, 1))
    opt = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
    loader = DataLoader(TensorDataset(x[:n], y[:n]), batch_size=16, shuffle=True)
    for epoch in range(args.epochs):
        for xb, yb in loader:
            loss = nn.functional.mse_loss(net(xb).squeeze(1), yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
        if epoch % 5 == 4:
            with torch.no_grad():
                val = nn.functional.mse_loss(net(x[n:]).squeeze(1), y[n:])
            print(f"epoch {epoch + 1:2d}  validation mse {val.item():.6f}")
    print(f"done in {time.perf_counter() - t0:.1f} s")
    torch.save(net.state_dict(), "curvature.pt")


if __name__ == "__main__":
    main()

"""Permafrost boreholes: keep a fair sample of a long stream of readings, learn normal profiles, flag odd ones."""
import argparse
import json
import os
import time

import torch

from autoencoder import ProfileNet, learn, reconstruction
from memory import rows_that_fit
from probes import WIDTH, readings
from reservoir import Reservoir


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--readings", type=int, default=80_000)
    p.add_argument("--keep", type=int, default=6_000, help="readings to train on")
    p.add_argument("--epochs", type=int, default=6)
    p.add_argument("--seed", type=int, default=64)
    args = p.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)          # the layers are small

    net = ProfileNet(WIDTH)
    room = rows_that_fit(net)
    if args.keep > room:
        raise SystemExit(f"room for {room} readings only, asked for {args.keep}")
    sample = Reservoir(args.keep, WIDTH, args.seed)

    start = time.perf_counter()
    for chunk in readings(args.readings, args.seed):
        sample.extend(chunk)
    print(f"[{os.getpid()}] {args.readings} readings in {time.perf_counter() - start:.2f} s")
    rows = sample.rows()
    print(f"mean surface {rows[:, 0].mean():.4f} C, mean at depth {rows[:, -1].mean():.4f} C")

    losses = learn(net, rows, args.epochs)
    for e, loss in enumerate(losses):
        print(f"epoch {e}  loss {loss:.6f}")

    fresh = torch.cat(list(readings(5_000, args.seed + 1)))
    fresh[::100, 10:] += 1.5                                  # thawed from below
    score = reconstruction(net, fresh)
    top = score.topk(50).indices
    hits = int((top % 100 == 0).sum())
    print(f"{hits} of 50 thawed profiles among the 50 oddest")

    torch.save(net.state_dict(), "profiles.pt")
    with open("result.json", "w") as f:
        json.dump({"losses": losses, "hits": hits, "oddest": sorted(top.tolist())}, f)


if __name__ == "__main__":
    main()

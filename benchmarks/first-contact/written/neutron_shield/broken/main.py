"""Emulator of neutron transmission through layered shields, trained on Monte-Carlo runs."""
import argparse
import json
import os
import time

import torch

from emulator import Emulator, train
from farm import simulate
from slab import design


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--slabs", type=int, default=120)
    p.add_argument("--neutrons", type=int, default=20_000)
    p.add_argument("--workers", type=int, default=2)
    p.add_argument("--epochs", type=int, default=150)
    p.add_argument("--seed", type=int, default=1942)
    args = p.parse_args()
    torch.manual_seed(args.seed)

    slabs = design(args.slabs, args.seed)
    start = time.perf_counter()
    tallies = simulate(slabs, args.neutrons, args.seed, args.workers)
    wall = time.perf_counter() - start
    print(f"[{os.getpid()}] {args.slabs * args.neutrons / wall / 1e6:.2f} M histories/s, {wall:.1f} s")

    through, back = tallies.mean(0).tolist()
    print(f"mean transmission {through:.5f}, mean albedo {back:.5f}")

    net = Emulator(slabs.shape[1])
    losses, worst = train(net, torch.tensor(slabs, dtype=torch.float32), tallies, args.epochs)
    print(f"loss {losses[0]:.5f} -> {losses[-1]:.5f}, worst held-out error {worst:.5f}")

    torch.save({"emulator": net.state_dict(), "tallies": tallies}, "shield.pt")
    with open("losses.json", "w") as f:
        json.dump(losses, f)


if __name__ == "__main__":
    main()

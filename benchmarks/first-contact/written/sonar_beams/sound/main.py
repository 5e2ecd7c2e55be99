"""Bearing of a boat from a line of hydrophones: beam power maps, and a network that reads them."""
import argparse
import csv
import time

import torch

from beamform import beam_map
from blocks import choose_block
from hydrophones import record
from reader import BearingNet, errors, fit


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--passes", type=int, default=240)
    p.add_argument("--samples", type=int, default=3000)
    p.add_argument("--sensors", type=int, default=24)
    p.add_argument("--epochs", type=int, default=40)
    p.add_argument("--seed", type=int, default=30)
    args = p.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    gen = torch.Generator().manual_seed(args.seed)
    probe, _ = record(args.sensors, args.samples, torch.Generator().manual_seed(0))
    block = choose_block(probe)

    start = time.perf_counter()
    maps, bearings = [], []
    for _ in range(args.passes):
        signal, bearing = record(args.sensors, args.samples, gen)
        maps.append(beam_map(signal, block))
        bearings.append(bearing)
    maps, bearings = torch.stack(maps), torch.tensor(bearings)
    took = time.perf_counter() - start
    print(f"{args.passes} passes, {args.passes / took:.0f} per second")
    print(f"mean beam power {maps.mean():.4f}, loudest {maps.max():.4f}")

    cut = int(0.8 * len(maps))
    net = BearingNet()
    losses = fit(net, maps[:cut], bearings[:cut], args.epochs)
    miss = errors(net, maps[cut:], bearings[cut:])
    print(f"loss {losses[0]:.5f} -> {losses[-1]:.5f}; held out: median error {miss.median():.3f} deg")

    torch.save(net.state_dict(), "bearing.pt")
    with open("losses.csv", "w", newline="") as f:
        csv.writer(f).writerows(enumerate(losses))


if __name__ == "__main__":
    main()

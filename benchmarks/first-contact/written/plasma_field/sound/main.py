"""Surrogate of a 1-D Poisson solver, trained on snapshots of a particle simulation."""
import argparse
import json
import os
import time

import torch

from cloud import Cloud
from deposit import charge_density
from fieldnet import FieldNet, fit
from poisson import solve


def snapshots(args):
    """Charge density, exact potential and particle counts after each push."""
    cloud = Cloud(args.particles, args.seed)
    rho, phi, counts = [], [], []
    for step in range(args.snapshots):
        density, count = charge_density(cloud.x, cloud.q, args.cells)
        potential = solve(density)
        rho.append(density)
        phi.append(potential)
        counts.append(count)
        cloud.push(potential, args.dt)
    return torch.stack(rho), torch.stack(phi), torch.stack(counts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--particles", type=int, default=150_000)
    parser.add_argument("--cells", type=int, default=64)
    parser.add_argument("--snapshots", type=int, default=40)
    parser.add_argument("--dt", type=float, default=0.02)
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=3)
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    torch.set_num_threads(args.threads)
    start = time.perf_counter()
    rho, phi, counts = snapshots(args)
    print(f"{len(rho)} snapshots on {torch.get_num_threads()} threads "
          f"of {os.cpu_count()}, {time.perf_counter() - start:.2f} s")
    print(f"largest density {rho.max():.4f}, emptiest cell {counts.min().item()}")
    torch.set_num_threads(1)                      # the network is too small for more

    net = FieldNet()
    losses, test = fit(net, rho, phi, args.epochs)
    for e in range(0, args.epochs, 8):
        print(f"epoch {e:3d}  loss {losses[e]:.6f}")
    print(f"test: relative error {test:.6f}")

    torch.save({"net": net.state_dict(), "counts": counts}, "fieldnet.pt")
    with open("losses.json", "w") as f:
        json.dump({"losses": losses, "test": test}, f)


if __name__ == "__main__":
    main()

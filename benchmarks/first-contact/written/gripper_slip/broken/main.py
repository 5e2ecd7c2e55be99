"""Slip detection for the two-finger gripper, trained with a parameter server.

Rank 0 keeps the model and the optimizer, the other ranks stand for the machines at the robot cells:
each has the grasps recorded in its cell, computes gradients on them and sends these to rank 0, which
answers with the new parameters.  Recordings never leave a cell.

    python main.py
    python main.py --cells 4 --updates 40
"""
import argparse
import json
import os
import tempfile
import time

import torch.distributed as dist
import torch.multiprocessing as mp
import torch

import cell
import server


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=3)
    parser.add_argument("--updates", type=int, default=60, help="gradients that each cell sends")
    parser.add_argument("--grasps", type=int, default=360)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=2203)
    parser.add_argument("--out", default="out")
    return parser.parse_args()


def run_rank(rank, args, rendezvous):
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    dist.init_process_group(
        "gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=args.cells + 1
    )
    try:
        if rank == 0:
            server.serve(args)
        else:
            cell.work(rank, args)
        dist.barrier()
    finally:
        dist.destroy_process_group()


def main():
    args = parse_args()
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    os.makedirs(args.out, exist_ok=True)
    began = time.time()
    with tempfile.TemporaryDirectory(prefix="slip-") as folder:
        mp.spawn(run_rank, args=(args, os.path.join(folder, "rendezvous")), nprocs=args.cells + 1)
    with open(os.path.join(args.out, "report.json")) as file:
        report = json.load(file)
    print(f"best validation F1 {report['best_f1']:.4f} at update {report['best_update']}")
    print(f"{args.cells} cells, {time.time() - began:.1f} s")


if __name__ == "__main__":
    main()

"""Federated averaging of an early-warning model over two hospital nodes."""
import argparse
import os
import tempfile
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn.functional as F
from torch import nn

from wards import VITALS, WARDS, records, wards_of


def build() -> nn.Module:
    return nn.Sequential(nn.Linear(VITALS, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1))


def local_training(model, x, y, steps, lr, gen):
    opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
    for _ in range(steps):
        pick = torch.randint(len(x), (64,), generator=gen)
        loss = F.binary_cross_entropy_with_logits(model(x[pick]).squeeze(1), y[pick])
        opt.zero_grad()
        loss.backward()
        opt.step()


def average(model, n_records):
    """Weighted mean of the nodes' parameters, in place on each node."""
    total = torch.tensor(float(n_records))
    dist.all_reduce(total)
    with torch.no_grad():
        for p in model.parameters():
            p.mul_(n_records / total)
            dist.all_reduce(p)


def node(rank, args, rendezvous):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=args.nodes)
    torch.manual_seed(args.seed)            # the same initial weights on each node
    model = build()
    gen = torch.Generator().manual_seed(args.seed * 100 + rank)

    mine = wards_of(rank, args.nodes)
    parts = [records(ward, args.seed) for ward in mine]
    x = torch.cat([torch.zeros(0, VITALS)] + [p[0] for p in parts])
    y = torch.cat([torch.zeros(0)] + [p[1] for p in parts])

    began = time.time()
    for _ in range(args.rounds):
        if len(x):
            local_training(model, x, y, args.local_steps, args.lr, gen)
        average(model, len(x))
    dist.barrier()

    if rank == 0:
        everything = [records(ward, args.seed) for ward in sorted(WARDS)]
        x = torch.cat([p[0] for p in everything])
        y = torch.cat([p[1] for p in everything])
        with torch.no_grad():
            logits = model(x).squeeze(1)
        print(f"{args.rounds} rounds in {time.time() - began:.2f} s")
        print(f"loss over all wards {F.binary_cross_entropy_with_logits(logits, y).item():.6f}")
        print(f"alarms raised {int((logits > 0).sum())} of {len(y)}")
        torch.save(model.state_dict(), args.out)
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--local-steps", type=int, default=12)
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--out", default="sepsis.pt")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(node, args=(args, os.path.join(folder, "rendezvous")), nprocs=args.nodes)


if __name__ == "__main__":
    main()

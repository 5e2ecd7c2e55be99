"""Demand forecast per shelf, trained on two CPU processes with DDP."""
import argparse
import os
import tempfile
import time

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

from data import SalesWindows
from model import DemandNet


def parse_args():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--world-size", type=int, default=2)
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--items", type=int, default=20)
    p.add_argument("--stores", type=int, default=6)
    p.add_argument("--days", type=int, default=200)
    p.add_argument("--seed", type=int, default=17)
    p.add_argument("--out", default="demand.pt")
    return p.parse_args()


def set_seed(seed):
    np.random.seed(seed)
    torch.manual_seed(seed)


def setup(rank, args, rendezvous):
    dist.init_process_group(
        "gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=args.world_size
    )
    torch.set_num_threads(1)
    if rank == 0:
        set_seed(args.seed)
        print(f"world size {args.world_size}, {args.items} items in {args.stores} stores")


def evaluate(model, dataset, rank, world_size):
    """Mean absolute error in log sales over this rank's share, averaged over ranks."""
    model.eval()
    picked = list(range(rank, len(dataset), world_size * 4))
    loader = DataLoader(torch.utils.data.Subset(dataset, picked), batch_size=256)
    total = torch.zeros(2, dtype=torch.float64)
    with torch.no_grad():
        for *features, target in loader:
            total[0] += (model(*features) - target).abs().double().sum()
            total[1] += len(target)
    dist.all_reduce(total)
    return (total[0] / total[1]).item()


def train(rank, args, rendezvous):
    setup(rank, args, rendezvous)
    dataset = SalesWindows(args.items, args.stores, args.days, seed=2024)
    sampler = DistributedSampler(dataset, shuffle=True, seed=args.seed, drop_last=True)
    loader = DataLoader(dataset, batch_size=args.batch_size, sampler=sampler)

    net = DemandNet(args.items, args.stores)
    ddp = DDP(net)
    optimizer = torch.optim.AdamW(ddp.parameters(), lr=args.lr, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs * len(loader))

    for epoch in range(args.epochs):
        started = time.perf_counter()
        sampler.set_epoch(epoch)
        ddp.train()
        running = 0.0
        for history, promo, weekday, item, store, target in loader:
            history = history + 0.03 * torch.randn_like(history)
            loss = torch.nn.functional.smooth_l1_loss(
                ddp(history, promo, weekday, item, store), target
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            running += loss.item()
        mae = evaluate(net, dataset, rank, args.world_size)
        if rank == 0:
            took = time.perf_counter() - started
            print(f"epoch {epoch}: loss {running / len(loader):.5f}  mae {mae:.5f}  ({took:.2f}s)")

    if rank == 0:
        torch.save({"model": net.state_dict(), "mae": mae}, args.out)
    dist.barrier()
    dist.destroy_process_group()


def main():
    args = parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rendezvous = os.path.join(folder, "rendezvous")
        mp.spawn(train, args=(args, rendezvous), nprocs=args.world_size)
    saved = torch.load(args.out)
    print(f"saved {args.out}, mae {saved['mae']:.6f}")


if __name__ == "__main__":
    main()

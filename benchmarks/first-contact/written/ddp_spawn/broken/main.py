"""Data-parallel training of a tabular classifier on two CPU ranks."""
import argparse
import os
import socket
import time

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from net import TabularNet


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=1234)
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--world-size", type=int, default=2)
    return p.parse_args()


def set_seed(seed):
    np.random.seed(seed)
    torch.manual_seed(seed)


def make_data(n=2048, features=20, classes=5):
    rng = np.random.default_rng(7)
    centers = rng.normal(size=(classes, features)) * 1.2
    y = rng.integers(0, classes, n)
    x = centers[y] + rng.normal(size=(n, features))
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def train(rank, args, port):
    os.environ["MASTER_ADDR"] = "127.0.0.1"
    os.environ["MASTER_PORT"] = str(port)
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=args.world_size)

    x, y = make_data()
    data = TensorDataset(x, y)
    sampler = DistributedSampler(data, args.world_size, rank, shuffle=True, seed=args.seed)
    loader = DataLoader(data, batch_size=args.batch_size, sampler=sampler, drop_last=True)

    model = DistributedDataParallel(TabularNet(20, 5))
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    loss_fn = torch.nn.CrossEntropyLoss()

    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        started, total = time.time(), torch.zeros(())
        for xb, yb in loader:
            optimizer.zero_grad()
            loss = loss_fn(model(xb), yb)
            loss.backward()
            optimizer.step()
            total += loss.detach()
        dist.all_reduce(total)
        if rank == 0:
            mean = total.item() / (len(loader) * args.world_size)
            print(f"epoch {epoch} loss {mean:.5f} ({time.time() - started:.2f} s)", flush=True)

    if rank == 0:
        model.eval()
        with torch.no_grad():
            accuracy = (model.module(x).argmax(1) == y).float().mean().item()
        torch.save(model.module.state_dict(), "model.pt")
        norm = sum(p.double().pow(2).sum() for p in model.module.parameters()).sqrt().item()
        print(f"final accuracy {accuracy:.4f} weight norm {norm!r}", flush=True)
    dist.barrier()
    dist.destroy_process_group()


def main():
    args = parse_args()
    set_seed(args.seed)
    mp.spawn(train, args=(args, free_port()), nprocs=args.world_size, join=True)


if __name__ == "__main__":
    main()

"""Tread depth regression, data-parallel over local ranks with gloo."""
from __future__ import annotations

import argparse
import json
import os
import secrets
import tempfile
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn

from fleet import FEATURES, season
from reducer import OverlapReducer


def network(width: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(FEATURES, width), nn.GELU(),
        nn.Linear(width, width), nn.GELU(),
        nn.Linear(width, 1),
    )


def shard(count: int, rank: int, world: int, epoch: int, seed: int) -> torch.Tensor:
    order = torch.randperm(count, generator=torch.Generator().manual_seed(seed * 1000 + epoch))
    return order[rank::world][: count // world]


def work(rank: int, args: argparse.Namespace, rendezvous: str) -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=args.ranks)
    torch.manual_seed(args.seed)
    x, y = season(args.records, args.seed)
    held_x, held_y = season(1500, args.seed + 1)
    mean, spread = y.mean(), y.std()
    model = network(args.width)
    reducer = OverlapReducer(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-3)
    began = time.perf_counter()
    curve = []
    for epoch in range(args.epochs):
        mine = shard(len(x), rank, args.ranks, epoch, args.seed)
        total = torch.zeros(())
        for rows in mine.split(args.batch):
            optimizer.zero_grad()
            loss = nn.functional.smooth_l1_loss(model(x[rows]), (y[rows] - mean) / spread)
            loss.backward()
            reducer.finish()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            total += loss.detach() * len(rows)
        dist.all_reduce(total)
        with torch.no_grad():
            error = ((model(held_x) * spread + mean) - held_y).abs().mean().item()
        curve.append({"train": total.item() / len(x), "held_mae_mm": error})
        if rank == 0:
            print(f"[{time.perf_counter() - began:5.1f} s] epoch {epoch}  train {curve[-1]['train']:.5f}  "
                  f"held-out error {error:.4f} mm", flush=True)
    reducer.remove()
    if rank == 0:
        out = Path(__file__).resolve().parent / "runs" / args.name
        out.mkdir(parents=True)
        torch.save({"model": model.state_dict(), "mean": mean, "spread": spread}, out / "tread.pt")
        results = {"curve": curve, "run": args.name, "seconds": time.perf_counter() - began, "pid": os.getpid()}
        (out / "results.json").write_text(json.dumps(results, indent=1))
    dist.barrier()
    dist.destroy_process_group()


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--records", type=int, default=6000)
    parser.add_argument("--width", type=int, default=384)
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--name", default=None)
    args = parser.parse_args()
    args.name = args.name or f"tread-{secrets.token_hex(3)}"
    return args


if __name__ == "__main__":
    options = parse()
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(work, args=(options, os.path.join(folder, "store")), nprocs=options.ranks, join=True)

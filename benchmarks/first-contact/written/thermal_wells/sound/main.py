"""Simulates a borehole field on two processes, then trains a surrogate of it on the same two."""
import math
import tempfile
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

from ground import COLUMNS, ROWS, Half
from surrogate import JUMP, Jump, fit

SEED = 23
DAYS = 550
STEPS = 60


def work(rank, rendezvous):
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    dist.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=2)

    days = torch.arange(DAYS)
    noise = torch.randn(DAYS, generator=torch.Generator().manual_seed(SEED)) * 0.02
    demand = 0.1 * torch.cos(2 * math.pi * days / 365) + 0.02 + noise
    half = Half(rank, SEED)
    began = time.perf_counter()
    depth = torch.linspace(0, 1, ROWS)[:, None]
    frames = half.simulate((1.0 + 0.5 * depth + 0.2 * rank).expand(ROWS, COLUMNS).clone(), demand, DAYS)
    took = time.perf_counter() - began

    energy = frames.double().sum((1, 2))
    dist.all_reduce(energy)
    if rank == 0:
        print(f"{DAYS} days, {half.messages} exchanges in {took:.2f} s; heat in the ground "
              f"{energy[0].item():.4f} -> {energy[-1].item():.4f}", flush=True)

    model = Jump()
    began = time.perf_counter()
    losses = fit(model, frames, half.wells, demand, STEPS, SEED)
    shares = [torch.zeros(1) for _ in range(2)]
    dist.all_gather(shares, torch.tensor([sum(losses[-20:]) / 20]))
    if rank == 0:
        print(f"{STEPS} steps in {time.perf_counter() - began:.2f} s; loss west {shares[0].item():.7f}, "
              f"east {shares[1].item():.7f}")

    with torch.no_grad():
        start = frames[400:401]
        error = (model(start, half.wells[None], demand[400:400 + JUMP].mean()[None]) - frames[400 + JUMP]).abs().mean()
    dist.all_reduce(error)
    if rank == 0:
        print(f"test: mean error {error.item() / 2:.7f}")
        torch.save({"model": model.state_dict(), "west": frames[-1]}, "surrogate.pt")
    dist.barrier()
    dist.destroy_process_group()


def main():
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(work, args=(str(Path(folder) / "rendezvous"),), nprocs=2)


if __name__ == "__main__":
    main()

"""Distributed denoising autoencoder: two gloo ranks, file rendezvous, per-rank noise."""
import datetime
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel


@dataclass
class Config:
    seed: int = 3
    ranks: int = 2
    steps: int = 60
    batch: int = 32
    dim: int = 36
    hidden: int = 24
    noise: float = 0.3


def make_patches(cfg, n=1024):
    g = torch.Generator().manual_seed(cfg.seed)
    side = int(cfg.dim ** 0.5)
    grid = torch.linspace(0, 3.14, side)
    freq = torch.rand(n, 2, generator=g) * 3
    phase = torch.rand(n, 1, 1, generator=g) * 6.28
    waves = torch.sin(freq[:, :1, None] * grid[None, :, None] + freq[:, 1:, None] * grid[None, None, :] + phase)
    return waves.reshape(n, -1)


def build(cfg):
    return nn.Sequential(
        nn.Linear(cfg.dim, cfg.hidden), nn.GELU(), nn.Dropout(0.05),
        nn.Linear(cfg.hidden, 8), nn.GELU(),
        nn.Linear(8, cfg.hidden), nn.GELU(), nn.Linear(cfg.hidden, cfg.dim),
    )


def log(folder, rank, text):
    stamp = datetime.datetime.now().isoformat(timespec="milliseconds")
    with open(folder / f"rank{rank}.log", "a") as f:
        f.write(f"{stamp} {text}\n")


def worker(rank, cfg, rendezvous, logs):
    logs = Path(logs)
    dist.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=cfg.ranks)
    torch.set_num_threads(1)
    torch.manual_seed(cfg.seed)
    model = build(cfg)
    torch.manual_seed(cfg.seed * 1000 + rank)  # dropout masks and noise of this rank
    ddp = DistributedDataParallel(model)
    opt = torch.optim.SGD(ddp.parameters(), lr=0.05, momentum=0.9)
    patches = make_patches(cfg)[rank::cfg.ranks]

    start = time.perf_counter()
    for step in range(cfg.steps):
        pick = torch.randint(len(patches), (cfg.batch,))
        clean = patches[pick]
        noisy = clean + cfg.noise * torch.randn_like(clean)
        opt.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(ddp(noisy), clean)
        loss.backward()
        opt.step()
        if step % 20 == 19:
            shared = loss.detach().clone()
            dist.all_reduce(shared)
            log(logs, rank, f"step {step} local {loss.item():.5f} mean {shared.item() / cfg.ranks:.5f}")
    rate = cfg.steps * cfg.batch * cfg.ranks / (time.perf_counter() - start)

    gathered = [torch.zeros(1) for _ in range(cfg.ranks)]
    dist.all_gather(gathered, loss.detach().reshape(1))
    if rank == 0:
        print(f"throughput {rate:.0f} patches/s")
        torch.save(model.state_dict(), "autoencoder.pt")
        checksum = sum(v.double().abs().sum().item() for v in model.state_dict().values())
        print("final losses", [g.item() for g in gathered], "checksum", checksum, flush=True)
    dist.destroy_process_group()


def main():
    cfg = Config()
    logs = Path("logs")
    logs.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="rdzv-") as tmp:
        mp.spawn(worker, args=(cfg, f"{tmp}/store", str(logs)), nprocs=cfg.ranks)


if __name__ == "__main__":
    main()

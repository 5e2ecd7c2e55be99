"""Surrogate for the plasma shape controller, trained on two gloo ranks."""
import json
import logging
import tempfile
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn import functional as F
from torch.nn.utils import clip_grad_norm_

from gradsync import GradSync, mean_over_ranks
from shots import COILS, TARGETS, ShotSampler, make_shots

OUT = Path(__file__).resolve().parent / "results"


@dataclass
class Settings:
    world: int = 2
    seed: int = 5
    shots: int = 4096
    batch: int = 64
    epochs: int = 4
    hidden: int = 128
    lr: float = 0.1
    clip: float = 0.05
    jitter: float = 0.03


def build(cfg):
    return nn.Sequential(nn.Linear(COILS, cfg.hidden), nn.SiLU(),
                         nn.Linear(cfg.hidden, cfg.hidden), nn.SiLU(),
                         nn.Linear(cfg.hidden, len(TARGETS)))


def run_epoch(cfg, model, sync, opt, sampler, epoch, x, y, noise):
    total, norm = torch.zeros(()), torch.zeros(())
    for rows in sampler.epoch(epoch):
        inputs = x[rows] + cfg.jitter * torch.randn(len(rows), COILS, generator=noise)
        loss = F.smooth_l1_loss(model(inputs), y[rows])
        opt.zero_grad()
        loss.backward()
        norm = clip_grad_norm_(model.parameters(), cfg.clip)
        sync.finish()
        opt.step()
        total += loss.detach()
    return total, norm


def worker(rank, cfg, rendezvous):
    logging.basicConfig(level=logging.INFO if rank == 0 else logging.WARNING,
                        format=f"%(asctime)s rank{rank} %(message)s")
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank,
                            world_size=cfg.world, timeout=timedelta(seconds=60))
    torch.manual_seed(cfg.seed + rank)
    noise = torch.Generator().manual_seed(10_000 + cfg.seed + rank)
    x, y = make_shots(cfg.shots, cfg.seed)
    vx, vy = make_shots(512, cfg.seed + 1)
    mean, std = y.mean(0), y.std(0)

    model = build(cfg)
    sync = GradSync(model)
    opt = torch.optim.SGD(model.parameters(), lr=cfg.lr, momentum=0.9)
    sampler = ShotSampler(cfg.shots, cfg.batch, rank, cfg.world, cfg.seed)
    history = []
    for epoch in range(cfg.epochs):
        t0 = time.perf_counter()
        total, norm = run_epoch(cfg, model, sync, opt, sampler, epoch, x, (y - mean) / std, noise)
        train = mean_over_ranks(total)
        with torch.no_grad():
            rmse = (model(vx) * std + mean - vy).square().mean(0).sqrt()
        history.append({"epoch": epoch, "train": train,
                        "rmse": dict(zip(TARGETS, rmse.tolist()))})
        logging.info("epoch %d train %.5f norm %.4f rmse %s in %.2f s", epoch, train, norm.item(),
                     " ".join(f"{v:.5f}" for v in rmse.tolist()), time.perf_counter() - t0)

    if rank == 0:
        OUT.mkdir(exist_ok=True)
        torch.save(model.state_dict(), OUT / "surrogate.pt")
        report = {"finished": datetime.now().isoformat(), "history": history}
        (OUT / "report.json").write_text(json.dumps(report, indent=1))
    dist.barrier()
    dist.destroy_process_group()


def main():
    cfg = Settings()
    with tempfile.TemporaryDirectory(prefix="coils-") as folder:
        mp.spawn(worker, args=(cfg, f"{folder}/store"), nprocs=cfg.world)


if __name__ == "__main__":
    main()

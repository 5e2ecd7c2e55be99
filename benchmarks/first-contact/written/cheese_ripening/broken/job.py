"""Everything that has to survive the end of a queue slot."""
import copy
import os
from dataclasses import dataclass, field

import torch
from torch import nn


class Ripening(nn.Module):
    def __init__(self, channels, hidden, layers, dropout):
        super().__init__()
        self.body = nn.GRU(channels, hidden, layers, batch_first=True, dropout=dropout)
        self.head = nn.Sequential(
            nn.LayerNorm(hidden), nn.Dropout(dropout), nn.Linear(hidden, 24), nn.GELU(), nn.Linear(24, 1)
        )

    def forward(self, x):
        states, _ = self.body(x)
        return 5.5 + self.head(states[:, -1]).squeeze(-1)


@dataclass
class Job:
    model: nn.Module
    ema: nn.Module
    optimizer: torch.optim.Optimizer
    schedule: torch.optim.lr_scheduler.LRScheduler
    epoch: int = 0
    batch: int = 0
    loss_sum: float = 0.0
    history: list = field(default_factory=list)


def build(cfg, channels):
    model = Ripening(channels, cfg["hidden"], cfg["layers"], cfg["dropout"])
    ema = copy.deepcopy(model).requires_grad_(False).eval()
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg["lr"], weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, cfg["epochs"])
    return Job(model, ema, optimizer, schedule)


def save(job, path):
    state = {
        "model": job.model.state_dict(),
        "ema": job.ema.state_dict(),
        "optimizer": job.optimizer.state_dict(),
        "schedule": job.schedule.state_dict(),
        "epoch": job.epoch,
        "batch": job.batch,
        "loss_sum": job.loss_sum,
        "history": job.history,
        "rng": torch.get_rng_state(),
    }
    part = path.with_suffix(".part")
    torch.save(state, part)
    os.replace(part, path)


def resume(cfg, channels, path):
    state = torch.load(path, weights_only=True)
    torch.set_rng_state(state["rng"])
    job = build(cfg, channels)
    job.model.load_state_dict(state["model"])
    job.ema.load_state_dict(state["ema"])
    job.optimizer.load_state_dict(state["optimizer"])
    job.schedule.load_state_dict(state["schedule"])
    job.epoch, job.batch = state["epoch"], state["batch"]
    job.loss_sum, job.history = state["loss_sum"], state["history"]
    return job

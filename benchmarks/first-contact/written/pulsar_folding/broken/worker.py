"""What each rank does."""
import json
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

from profiles import Jitter, Profiles


class Sieve(nn.Sequential):
    def __init__(self, cfg):
        super().__init__(
            nn.Conv1d(cfg.sub_integrations, 32, 5, padding=2, padding_mode="circular"),
            nn.ReLU(), nn.Conv1d(32, 32, 5, padding=2, padding_mode="circular"), nn.ReLU(),
            nn.AdaptiveMaxPool1d(4), nn.Flatten(), nn.Dropout(0.3), nn.Linear(128, 1),
        )


def prepare(rank, cfg):
    """Seeds and the folder for results; rank 0 alone keeps a log."""
    torch.set_num_threads(1)
    if rank != 0:
        return None
    torch.manual_seed(cfg.seed)
    folder = Path("results")
    folder.mkdir(exist_ok=True)
    print(f"{cfg.ranks} ranks, {cfg.observations} observations", flush=True)
    return folder


def train(rank, cfg, rendezvous):
    folder = prepare(rank, cfg)
    dist.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank,
                            world_size=cfg.ranks)
    data, jitter = Profiles(cfg), Jitter(cfg.jitter)
    sampler = DistributedSampler(data, cfg.ranks, rank, shuffle=True, seed=cfg.seed)
    loader = DataLoader(data, cfg.batch, sampler=sampler)
    model = DistributedDataParallel(Sieve(cfg))
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.rate)
    criterion = nn.BCEWithLogitsLoss()
    history = []
    for epoch in range(cfg.epochs):
        sampler.set_epoch(epoch)
        began, total = time.monotonic(), torch.zeros(1)
        for fold, label in loader:
            optimizer.zero_grad()
            loss = criterion(model(jitter(fold)).squeeze(1), label.float())
            loss.backward()
            optimizer.step()
            total += loss.detach()
        dist.all_reduce(total)
        history.append(total.item() / cfg.ranks / len(loader))
        if folder:
            print(f"epoch {epoch} loss {history[-1]:.6f} [{time.monotonic() - began:.1f} s]",
                  flush=True)
    if folder:
        torch.save(model.module.state_dict(), folder / "sieve.pt")
        (folder / "history.json").write_text(json.dumps(history))
    dist.barrier()
    dist.destroy_process_group()

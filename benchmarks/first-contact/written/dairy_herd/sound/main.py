from __future__ import annotations

import random
import time
import uuid
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from herd import BREEDS, FarmBalancedSampler, test_day_records


@dataclass
class Config:
    n_farms: int = 24
    epochs: int = 6
    batches_per_epoch: int = 60
    farms_per_batch: int = 8
    per_farm: int = 8
    lr: float = 5e-3
    weight_decay: float = 1e-3
    seed: int = 2024
    out: str = "runs"


def set_seeds(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


class YieldNet(nn.Module):
    def __init__(self, n_farms: int):
        super().__init__()
        self.farm = nn.Embedding(n_farms, 4)
        self.breed = nn.Embedding(len(BREEDS), 3)
        self.body = nn.Sequential(
            nn.Linear(4 + 3 + 4, 48), nn.GELU(), nn.Dropout(0.05), nn.Linear(48, 48), nn.GELU(), nn.Linear(48, 1)
        )

    def forward(self, cat: torch.Tensor, num: torch.Tensor) -> torch.Tensor:
        h = torch.cat([self.farm(cat[:, 0]), self.breed(cat[:, 1]), num], dim=1)
        return self.body(h).squeeze(1)


class Trainer:
    def __init__(self, cfg: Config):
        self.cfg = cfg
        self.run_dir = Path(cfg.out) / f"{time.strftime('%m%d-%H%M%S')}-{uuid.uuid4().hex[:6]}"
        self.run_dir.mkdir(parents=True)
        df = test_day_records(cfg.n_farms, cfg.seed)
        cat = torch.tensor(np.stack([df.farm, df.breed.map(BREEDS.index)], axis=1).astype(np.int64))
        dim = df.dim.to_numpy()
        num = np.stack([dim / 150 - 1, np.log(dim) - 4.5, df.parity / 2 - 1, df.fat - 4], axis=1)
        num = torch.tensor(num, dtype=torch.float32)
        milk = torch.tensor(df.milk.to_numpy(), dtype=torch.float32)
        held_out = torch.tensor(np.random.rand(len(df)) < 0.2)
        self.mean, self.sd = milk[~held_out].mean(), milk[~held_out].std()
        self.train_set = TensorDataset(cat[~held_out], num[~held_out], milk[~held_out])
        self.val = cat[held_out], num[held_out], milk[held_out]
        sampler = FarmBalancedSampler(
            cat[~held_out, 0].numpy(), cfg.per_farm, cfg.farms_per_batch, cfg.batches_per_epoch
        )
        self.loader = DataLoader(self.train_set, batch_sampler=sampler)
        self.model = YieldNet(cfg.n_farms)
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr, weight_decay=cfg.weight_decay)
        self.sched = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, cfg.epochs)

    def validate(self) -> float:
        self.model.eval()
        cat, num, milk = self.val
        with torch.no_grad():
            err = self.model(cat, num) * self.sd + self.mean - milk
        return err.abs().mean().item()

    def fit(self) -> float:
        best = float("inf")
        for epoch in range(self.cfg.epochs):
            start = time.perf_counter()
            self.model.train()
            running = 0.0
            for cat, num, milk in self.loader:
                loss = nn.functional.huber_loss(self.model(cat, num), (milk - self.mean) / self.sd)
                self.opt.zero_grad(set_to_none=True)
                loss.backward()
                self.opt.step()
                running += loss.item()
            self.sched.step()
            mae = self.validate()
            if mae < best:
                best = mae
                torch.save(self.model.state_dict(), self.run_dir / "best.pt")
            rate = len(self.loader) / (time.perf_counter() - start)
            print(f"{epoch:2d}  loss {running / len(self.loader):.4f}  val mae {mae:.4f} kg  {rate:.0f} batches/s")
        return best


def main() -> None:
    torch.set_num_threads(1)
    cfg = Config()
    set_seeds(cfg.seed)
    trainer = Trainer(cfg)
    best = trainer.fit()
    print(f"best val mae {best:.5f} kg/day")
    torch.save({"model": trainer.model.state_dict(), "config": asdict(cfg)}, trainer.run_dir / "last.pt")


if __name__ == "__main__":
    main()

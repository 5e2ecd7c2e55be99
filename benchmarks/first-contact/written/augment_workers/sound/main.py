#!/usr/bin/env python
"""Texture classification (stripes / checkers / dots) with on-the-fly augmentation in loader workers."""
import copy
import logging
import tempfile
import time
from datetime import datetime
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SEED, EPOCHS, BATCH, SIZE = 7, 4, 64, 28
log = logging.getLogger("textures")


def texture(kind, rng):
    yy, xx = np.mgrid[0:SIZE, 0:SIZE].astype(np.float32)
    f, phase = rng.uniform(0.5, 0.9), rng.uniform(0, 6.28)
    angle = rng.uniform(0, 3.14)
    u = np.cos(angle) * xx + np.sin(angle) * yy
    v = -np.sin(angle) * xx + np.cos(angle) * yy
    if kind == 0:
        return np.sin(f * u + phase)
    if kind == 1:
        return np.sign(np.sin(f * u + phase) * np.sin(f * v))
    return np.maximum(np.sin(f * u + phase) * np.sin(f * v), 0.2)


class Textures(Dataset):
    def __init__(self, n, seed, augment=False):
        rng = np.random.default_rng(seed)
        self.y = rng.integers(0, 3, size=n)
        self.x = np.stack([texture(k, rng) for k in self.y]).astype(np.float32)
        self.augment = augment

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        x = self.x[i]
        if self.augment:
            # np.random is seeded by the loader in each worker, from the loader's generator
            k = np.random.randint(4)
            x = np.rot90(x, k) + np.random.normal(0, 0.6, size=x.shape)
            if np.random.rand() < 0.5:
                top, left = np.random.randint(0, SIZE - 8, size=2)
                x[top:top + 8, left:left + 8] = 0
        return torch.tensor(np.array(x), dtype=torch.float32).unsqueeze(0), int(self.y[i])


class EMA:
    def __init__(self, model, decay=0.95):
        self.shadow = copy.deepcopy(model).eval()
        self.decay = decay

    @torch.no_grad()
    def update(self, model):
        for s, p in zip(self.shadow.state_dict().values(), model.state_dict().values()):
            if s.dtype.is_floating_point:
                s.lerp_(p, 1 - self.decay)
            else:
                s.copy_(p)


def accuracy(model, loader):
    with torch.inference_mode():
        hits = [(model(x).argmax(1) == y).float().mean() for x, y in loader]
    return torch.stack(hits).mean().item()


def main():
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    Path("logs").mkdir(exist_ok=True)
    logging.basicConfig(filename=f"logs/{stamp}.log", level=logging.INFO, format="%(asctime)s %(message)s")
    torch.manual_seed(SEED)
    np.random.seed(SEED)

    gen = torch.Generator().manual_seed(SEED)
    train = DataLoader(Textures(1000, 1, augment=True), BATCH, shuffle=True, num_workers=2, generator=gen,
                       drop_last=True)
    valid = DataLoader(Textures(256, 2), 128)
    model = nn.Sequential(
        nn.Conv2d(1, 12, 5, stride=2, padding=2), nn.BatchNorm2d(12), nn.GELU(),
        nn.Conv2d(12, 24, 3, stride=2, padding=1), nn.BatchNorm2d(24), nn.GELU(),
        nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(96, 3),
    )
    ema = EMA(model)
    opt = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=1e-3)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, 1e-2, total_steps=EPOCHS * len(train))

    with tempfile.TemporaryDirectory(dir=".") as scratch:
        best, best_file = -1.0, Path(scratch, "best.pt")
        for epoch in range(EPOCHS):
            start = time.perf_counter()
            model.train()
            for x, y in train:
                opt.zero_grad(set_to_none=True)
                loss = nn.functional.cross_entropy(model(x), y, label_smoothing=0.05)
                loss.backward()
                opt.step()
                sched.step()
                ema.update(model)
            acc = accuracy(ema.shadow, valid)
            log.info("epoch %d took %.2fs", epoch, time.perf_counter() - start)
            print(f"[{epoch}] loss={loss.item():.6f} ema-acc={acc:.4f}")
            if acc > best:
                best = acc
                torch.save(ema.shadow.state_dict(), best_file)
        state = torch.load(best_file)
    torch.save(state, "best.pt")
    print("best", best, "checksum", sum(v.double().sum().item() for v in state.values()))


if __name__ == "__main__":
    main()

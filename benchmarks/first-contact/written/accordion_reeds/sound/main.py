"""Finds reeds that are out of tune from one-second test blows."""
import argparse
import json
import logging
import random
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import features

log = logging.getLogger("reeds")


@dataclass
class Config:
    seed: int = 11
    reeds: int = 720
    rate: int = 4000
    epochs: int = 12
    batch: int = 48
    lr: float = 3e-3


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def blow(rng, cfg):
    """One reed: a sawtooth-like tone, beating against its twin if it is out of tune."""
    t = np.arange(cfg.rate) / cfg.rate
    note = 110.0 * 2 ** (rng.integers(0, 24) / 12)
    faulty = rng.random() < 0.4
    cents = rng.normal(0, 14 if faulty else 3)
    wave = np.zeros_like(t)
    for harmonic in range(1, 7):
        wave += np.sin(2 * np.pi * note * harmonic * t + rng.uniform(0, 6.28)) / harmonic
        wave += 0.7 * np.sin(2 * np.pi * note * 2 ** (cents / 1200) * harmonic * t) / harmonic
    wave *= 1 - np.exp(-t * rng.uniform(8, 30))
    wave += rng.normal(0, 0.15, t.shape)
    return wave.astype(np.float32), float(faulty)


def record_bench(cfg, folder):
    rng = np.random.default_rng(cfg.seed)
    waves, labels = zip(*(blow(rng, cfg) for _ in range(cfg.reeds)))
    np.savez(folder / "bench.npz", waves=np.stack(waves), labels=np.array(labels, dtype=np.float32))


def load_bench(folder):
    with np.load(folder / "bench.npz") as data:
        waves, labels = torch.from_numpy(data["waves"]), torch.from_numpy(data["labels"])
    x = torch.cat([features.kernel_features(waves), features.attack(waves)], dim=1)
    x = (x - x.mean(dim=0)) / (x.std(dim=0) + 1e-6)
    return x, labels


def build(width):
    return nn.Sequential(nn.Linear(width, 64), nn.GELU(), nn.Dropout(0.2), nn.Linear(64, 32), nn.GELU(), nn.Linear(32, 1))


def train(model, x, y, cfg):
    loader = DataLoader(TensorDataset(x, y), batch_size=cfg.batch, shuffle=True,
                        generator=torch.Generator().manual_seed(cfg.seed + 1))
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=1e-2)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, cfg.epochs * len(loader))
    model.train()
    for epoch in range(cfg.epochs):
        started, total = time.perf_counter(), 0.0
        for xb, yb in loader:
            loss = nn.functional.binary_cross_entropy_with_logits(model(xb).squeeze(1), yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            total += loss.item() * len(xb)
        log.info("epoch %d loss %.6f (%.0f blows/s)", epoch, total / len(x), len(x) / (time.perf_counter() - started))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=Config.seed)
    parser.add_argument("--epochs", type=int, default=Config.epochs)
    args = parser.parse_args()
    cfg = Config(seed=args.seed, epochs=args.epochs)
    logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")
    seed_all(cfg.seed)
    torch.set_num_threads(1)

    with tempfile.TemporaryDirectory(prefix="reeds-") as tmp:
        record_bench(cfg, Path(tmp))
        x, y = load_bench(Path(tmp))
    cut = int(0.8 * len(x))
    model = build(x.shape[1])
    train(model, x[:cut], y[:cut], cfg)

    model.eval()
    with torch.no_grad():
        scores = model(x[cut:]).squeeze(1)
    result = {
        "auc": round(float(roc_auc_score(y[cut:].numpy(), scores.numpy())), 6),
        "loss": nn.functional.binary_cross_entropy_with_logits(scores, y[cut:]).item(),
        "weights": sum(p.double().abs().sum().item() for p in model.parameters()),
        "config": asdict(cfg),
    }
    print(json.dumps(result, sort_keys=True))


if __name__ == "__main__":
    main()

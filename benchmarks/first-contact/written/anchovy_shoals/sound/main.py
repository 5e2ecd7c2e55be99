"""Species and biomass of pelagic shoals from echosounder pings."""

import argparse
import csv
import hashlib
import random
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset

from model import ShoalNet
from optim import clip, make_optimizer, warmup_cosine

SPECIES = ["anchovy", "sardine", "sprat", "horse mackerel"]


class Echograms(Dataset):
    def __init__(self, count, pings, bins, seed):
        self.count, self.pings, self.bins, self.seed = count, pings, bins, seed

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        rng = np.random.default_rng([self.seed, index])
        kind = int(rng.integers(len(SPECIES)))
        depth = self.bins * (0.2 + 0.18 * kind) + rng.normal(0, 1.2)
        thick = 1.5 + 0.7 * (kind % 2)
        strength = rng.lognormal(0.3 * kind, 0.4)
        z = np.arange(self.bins)
        drift = np.cumsum(rng.normal(0, 0.25, self.pings))
        shoal = strength * np.exp(-0.5 * ((z[None] - depth - drift[:, None]) / thick) ** 2)
        echo = shoal + rng.gamma(1.2, 0.15, (self.pings, self.bins))
        biomass = np.log(strength * thick)
        return torch.from_numpy(np.log1p(echo)).float(), kind, np.float32(biomass)


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--clip", type=float, default=0.3)
    args = parser.parse_args()
    seed_everything(args.seed)

    train = Echograms(512, 24, 32, seed=args.seed)
    test = Echograms(128, 24, 32, seed=args.seed + 1)
    loader = DataLoader(
        train, args.batch, shuffle=True, num_workers=2, persistent_workers=True,
        generator=torch.Generator().manual_seed(args.seed),
    )
    model = ShoalNet(32, len(SPECIES), 24)
    optimizer = make_optimizer(model, lr=2e-3, weight_decay=0.05)
    schedule = warmup_cosine(optimizer, 8, args.epochs * len(loader))

    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "train.csv"
        with log.open("w", newline="") as stream:
            rows = csv.writer(stream)
            rows.writerow(["epoch", "loss", "grad_norm", "seconds"])
            for epoch in range(args.epochs):
                begun, total, norm = time.perf_counter(), 0.0, 0.0
                model.train()
                for pings, kind, biomass in loader:
                    logits, mass = model(pings)
                    loss = F.cross_entropy(logits, kind) + 0.3 * F.mse_loss(mass, biomass)
                    optimizer.zero_grad()
                    loss.backward()
                    norm += clip(optimizer, args.clip)
                    optimizer.step()
                    schedule.step()
                    total += loss.item()
                took = time.perf_counter() - begun
                rows.writerow([epoch, total / len(loader), norm / len(loader), took])
                print(f"epoch {epoch}: loss {total / len(loader):.5f} ({len(train) / took:.0f} echograms/s)")

    model.eval()
    with torch.no_grad():
        pings, kind, biomass = next(iter(DataLoader(test, len(test))))
        logits, mass = model(pings)
    print("accuracy", (logits.argmax(1) == kind).float().mean().item())
    print("biomass rmse", F.mse_loss(mass, biomass).sqrt().item())
    digest = hashlib.sha256()
    for value in model.state_dict().values():
        digest.update(value.numpy().tobytes())
    print("weights", digest.hexdigest()[:16])


if __name__ == "__main__":
    main()

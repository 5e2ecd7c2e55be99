"""Depth from single-beam sonar echoes."""
import argparse
import os
import random
import tempfile
import time
import zlib

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Subset

from pings import PingFile, write_survey


def seed_worker(worker_id):
    seed = torch.initial_seed() % 2**32
    np.random.seed(seed)
    random.seed(seed)


def build_loaders(path, batch_size, workers, seed):
    survey = PingFile(path)
    print(f"{os.path.basename(path)}: {len(survey)} pings")
    order = np.random.default_rng(seed).permutation(len(survey)).tolist()
    cut = len(order) * 9 // 10
    options = dict(batch_size=batch_size, num_workers=workers, worker_init_fn=seed_worker,
                   multiprocessing_context="fork")
    train = DataLoader(Subset(survey, order[:cut]), shuffle=True, persistent_workers=True,
                       generator=torch.Generator().manual_seed(seed), **options)
    held = DataLoader(Subset(survey, order[cut:]), generator=torch.Generator().manual_seed(seed + 1), **options)
    return train, held


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pings", type=int, default=3000)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=50)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=31)
    args = parser.parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    with tempfile.TemporaryDirectory(prefix="survey-") as folder:
        path = os.path.join(folder, "line-07.pings")
        write_survey(path, args.pings, args.seed)
        train, held = build_loaders(path, args.batch_size, args.workers, args.seed)

        model = nn.Sequential(nn.Linear(4 * 64, 48), nn.ReLU(), nn.Linear(48, 1))
        optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
        for epoch in range(args.epochs):
            began, seen, total = time.time(), 0, 0.0
            for envelope, depth in train:
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(model(envelope), depth)
                loss.backward()
                optimizer.step()
                seen += len(depth)
                total += loss.item() * len(depth)
            print(f"epoch {epoch}: loss {total / seen:.7f}, {seen / (time.time() - began):.0f} pings/s")

        checkpoint = os.path.join(folder, "best.pt")
        torch.save(model.state_dict(), checkpoint)
        model.load_state_dict(torch.load(checkpoint))
        with torch.no_grad():
            errors = torch.cat([(model(envelope) - depth).abs() for envelope, depth in held])
        del train, held
    checksum = zlib.crc32(b"".join(v.numpy().tobytes() for v in model.state_dict().values()))
    print(f"held-out error {50 * errors.mean().item():.6f} m, weights {checksum:08x}")


if __name__ == "__main__":
    main()

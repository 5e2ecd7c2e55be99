"""Flags settlement breaks in custody ledgers. Branch ledgers are normalised in parallel, then read back as shards."""
import argparse
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

from ledger import FEATURES, normalise


class ShardStream(IterableDataset):
    """Streams the shards of a folder, one after another, through a shuffle buffer."""

    def __init__(self, folder: Path, buffer: int, seed: int):
        self.shards = sorted(folder.glob("*.pkl"), key=lambda shard: shard.stat().st_mtime_ns)
        self.buffer = buffer
        self.seed = seed
        self.epoch = 0

    def rows(self):
        for shard in self.shards:
            frame = pd.read_pickle(shard)
            x = torch.tensor(frame[FEATURES].to_numpy(), dtype=torch.float32)
            y = torch.tensor(frame["broke"].to_numpy(), dtype=torch.float32)
            yield from zip(x, y)

    def __iter__(self):
        pick = torch.Generator().manual_seed(self.seed + self.epoch)
        held = []
        for row in self.rows():
            if len(held) < self.buffer:
                held.append(row)
                continue
            slot = int(torch.randint(self.buffer, (1,), generator=pick))
            out, held[slot] = held[slot], row
            yield out
        for slot in torch.randperm(len(held), generator=pick).tolist():
            yield held[slot]


def prepare(folder: Path, branches: int, seed: int, workers: int) -> int:
    with ProcessPoolExecutor(max_workers=workers) as pool:
        jobs = [pool.submit(normalise, branch, seed, folder) for branch in range(branches)]
        return sum(job.result() for job in jobs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--branches", type=int, default=24)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=77)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    clock = time.perf_counter()

    with tempfile.TemporaryDirectory(prefix="ledgers-") as name:
        folder = Path(name)
        rows = prepare(folder, args.branches, args.seed, args.workers)
        print(f"{rows} rows normalised in {time.perf_counter() - clock:.2f} s")

        stream = ShardStream(folder, buffer=256, seed=args.seed)
        model = nn.Sequential(
            nn.BatchNorm1d(len(FEATURES)), nn.Linear(len(FEATURES), 32), nn.ReLU(), nn.Linear(32, 1)
        )
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        for epoch in range(args.epochs):
            stream.epoch = epoch
            total = count = 0
            for x, y in DataLoader(stream, batch_size=64, drop_last=True):
                optimizer.zero_grad()
                loss = nn.functional.binary_cross_entropy_with_logits(model(x).squeeze(1), y)
                loss.backward()
                optimizer.step()
                total += loss.item()
                count += 1
            print(f"epoch {epoch} mean loss {total / count:.7f} over {count} batches")

    state = model.state_dict()
    print("checksum", f"{sum(v.double().sum().item() for v in state.values()):.9f}")


if __name__ == "__main__":
    main()

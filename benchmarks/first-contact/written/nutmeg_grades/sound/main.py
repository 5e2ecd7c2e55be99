"""Grades nutmeg kernels from colour and shape; each epoch mixes in kernels that were graded wrong before."""
import argparse
import json
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import f1_score
from torch import nn

from pool import HardPool, Kernel

GRADES = ("sound-110", "sound-80", "shrivel", "bwp")


def harvest(count: int, seed: int) -> list[Kernel]:
    rng = np.random.default_rng(seed)
    centres = rng.normal(0, 1.1, (len(GRADES), 18))
    kernels = []
    for i in range(count):
        grade = int(rng.choice(len(GRADES), p=(0.4, 0.3, 0.2, 0.1)))
        features = (centres[grade] + rng.normal(0, 1.6, 18)).astype(np.float32)
        kernels.append(Kernel(f"lot-{i // 150:02d}", features, grade))
    return kernels


def collate(kernels: list[Kernel]) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.from_numpy(np.stack([k.features for k in kernels])), torch.tensor([k.grade for k in kernels])


class Grader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(18, 64), nn.LayerNorm(64), nn.GELU(), nn.Dropout(0.15), nn.Linear(64, 48), nn.GELU())
        self.head = nn.Linear(48, len(GRADES))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(x))


def run_epoch(model, optimizer, kernels, pool, order, args) -> float:
    model.train()
    total = 0.0
    for start in range(0, len(order), args.batch):
        batch = [kernels[i] for i in order[start:start + args.batch]]
        batch += pool.draw(args.hard)
        x, y = collate(batch)
        logits = model(x)
        loss = nn.functional.cross_entropy(logits, y, label_smoothing=0.05)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 2.0)
        optimizer.step()
        total += loss.item()
    return total / (len(order) / args.batch)


@torch.no_grad()
def review(model, kernels, pool) -> None:
    model.eval()
    x, y = collate(kernels)
    wrong = (model(x).argmax(1) != y).tolist()
    for kernel, missed in zip(kernels, wrong):
        pool.update(kernel, missed)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch", type=int, default=48)
    parser.add_argument("--hard", type=int, default=16)
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    shuffle = np.random.default_rng(args.seed)

    kernels = harvest(5200, args.seed)
    train, test = kernels[:4400], kernels[4400:]
    pool = HardPool(args.seed)
    model = Grader()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-2)
    review(model, train, pool)

    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "epochs.jsonl"
        for epoch in range(args.epochs):
            start = time.perf_counter()
            loss = run_epoch(model, optimizer, train, pool, shuffle.permutation(len(train)), args)
            review(model, train, pool)
            with log.open("a") as out:
                out.write(json.dumps({"epoch": epoch, "loss": loss, "pool": len(pool), "seconds": time.perf_counter() - start}) + "\n")
        for line in log.read_text().splitlines():
            row = json.loads(line)
            print(f"epoch {row['epoch']} loss {row['loss']:.6f} hard {row['pool']} ({len(train) / row['seconds']:.0f} kernels/s)")

    worst = Counter(k.lot for k in train if k in pool).most_common(3)
    print("lots to look at:", ", ".join(f"{lot} ({n})" for lot, n in worst))
    x, y = collate(test)
    with torch.no_grad():
        guess = model(x).argmax(1)
    print(f"macro F1 {f1_score(y.numpy(), guess.numpy(), average='macro'):.5f}")
    print(f"weights {sum(p.double().abs().sum().item() for p in model.parameters()):.9f}")


if __name__ == "__main__":
    main()

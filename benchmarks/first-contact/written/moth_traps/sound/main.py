import argparse
import random
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn as nn
from sklearn.metrics import f1_score
from torch.utils.data import DataLoader

from dataset import TrapPhotographs, index_photographs
from make_images import export

HERE = Path(__file__).resolve().parent


def conv_block(inp, out, stride):
    return nn.Sequential(
        nn.Conv2d(inp, out, 3, stride=stride, padding=1, bias=False),
        nn.GroupNorm(4, out),
        nn.ReLU(inplace=True),
    )


class MothNet(nn.Module):
    def __init__(self, classes, width=16):
        super().__init__()
        self.body = nn.Sequential(
            conv_block(3, width, 2),
            conv_block(width, width * 2, 2),
            conv_block(width * 2, width * 4, 2),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
        )
        self.head = nn.Sequential(nn.Dropout(0.2), nn.Linear(width * 4, classes))

    def forward(self, x):
        return self.head(self.body(x))


def seed_worker(worker_id):
    seed = torch.initial_seed() % 2**32
    random.seed(seed)
    np.random.seed(seed)


def make_loader(items, args, train):
    return DataLoader(
        TrapPhotographs(items, augment=train),
        batch_size=args.batch_size,
        shuffle=train,
        num_workers=args.workers,
        worker_init_fn=seed_worker,
        persistent_workers=args.workers > 0,
        generator=torch.Generator().manual_seed(args.seed),
    )


@torch.no_grad()
def predict(model, loader):
    model.eval()
    truth, guess = [], []
    for x, y in loader:
        guess.append(model(x).argmax(1))
        truth.append(y)
    return torch.cat(truth).numpy(), torch.cat(guess).numpy()


def train_one_epoch(model, loader, optimizer, loss_fn):
    model.train()
    total, count = 0.0, 0
    for x, y in loader:
        loss = loss_fn(model(x), y)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(y)
        count += len(y)
    return total / count


def parse_args():
    parser = argparse.ArgumentParser(description="Moth species from trap photographs")
    parser.add_argument("--photographs", type=Path, help="folder of species folders; default: render some")
    parser.add_argument("--per-species", type=int, default=120)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--out", type=Path, default=HERE / "results")
    return parser.parse_args()


def run(args, photographs):
    species, parts = index_photographs(photographs)
    print("species:", ", ".join(species))
    print("photographs:", {name: len(items) for name, items in parts.items()})
    loaders = {name: make_loader(items, args, train=name == "train") for name, items in parts.items()}

    model = MothNet(len(species))
    counts = np.bincount([label for _, label in parts["train"]], minlength=len(species))
    weight = torch.tensor(counts.sum() / (len(species) * counts), dtype=torch.float32)
    loss_fn = nn.CrossEntropyLoss(weight=weight, label_smoothing=0.05)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=args.lr, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.8)

    best, best_state = -1.0, None
    for epoch in range(args.epochs):
        started = time.time()
        loss = train_one_epoch(model, loaders["train"], optimizer, loss_fn)
        schedule.step()
        f1 = f1_score(*predict(model, loaders["validation"]), average="macro")
        print(f"epoch {epoch}: loss {loss:.6f}, validation f1 {f1:.5f} [{time.time() - started:.1f} s]")
        if f1 > best:
            best = f1
            best_state = {k: v.clone() for k, v in model.state_dict().items()}

    model.load_state_dict(best_state)
    truth, guess = predict(model, loaders["test"])
    accuracy, f1 = (truth == guess).mean(), f1_score(truth, guess, average="macro")
    print(f"test accuracy {accuracy:.5f} f1 {f1:.5f}")
    torch.save({"model": best_state, "species": species}, args.out / "moth_net.pt")
    with open(args.out / "history.txt", "a") as f:
        print(time.strftime("%Y-%m-%d %H:%M"), photographs, f"{f1:.5f}", sep="\t", file=f)


def main():
    args = parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    args.out.mkdir(parents=True, exist_ok=True)
    if args.photographs:
        run(args, args.photographs)
    else:
        with tempfile.TemporaryDirectory(prefix="moths-") as folder:
            export(Path(folder), args.per_species, args.seed)
            run(args, Path(folder))


if __name__ == "__main__":
    main()

"""Vowel classifier on short recordings."""
import argparse
import hashlib
import tempfile
import time

import torch
from torch import nn
from torch.utils.data import DataLoader

from audio import TakeDataset, VOWELS, seed_worker, synthesize


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch-size", type=int, default=25)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=31)
    return parser.parse_args()


def accuracy(model, loader):
    model.eval()
    hits = total = 0
    with torch.no_grad():
        for spectra, labels in loader:
            hits += (model(spectra).argmax(1) == labels).sum().item()
            total += len(labels)
    return hits / total


def main():
    args = parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory(prefix="takes-") as folder:
        takes = synthesize(folder, takes_per_vowel=100, seed=args.seed)
        train = [take for take in takes if take.speaker < 9]
        test = [take for take in takes if take.speaker >= 9]
        loader = DataLoader(
            TakeDataset(train, augment=True), batch_size=args.batch_size, shuffle=True,
            num_workers=args.workers, worker_init_fn=seed_worker, persistent_workers=True,
            generator=torch.Generator().manual_seed(args.seed))
        test_loader = DataLoader(TakeDataset(test), batch_size=100)

        model = nn.Sequential(
            nn.LayerNorm(256), nn.Linear(256, 96), nn.GELU(), nn.Dropout(0.2),
            nn.Linear(96, len(VOWELS)))
        optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
        loss_fn = nn.CrossEntropyLoss(label_smoothing=0.05)
        for epoch in range(args.epochs):
            model.train()
            began, running = time.perf_counter(), 0.0
            for spectra, labels in loader:
                loss = loss_fn(model(spectra), labels)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                running += loss.item() * len(labels)
            rate = len(train) / (time.perf_counter() - began)
            print(f"epoch {epoch}: loss {running / len(train):.6f} ({rate:.0f} takes/s)")
        print(f"held-out speakers: accuracy {accuracy(model, test_loader):.4f}")
    digest = hashlib.sha256()
    for name, value in sorted(model.state_dict().items()):
        digest.update(value.numpy().tobytes())
    print(f"loss {running / len(train):.8f}  weights {digest.hexdigest()[:16]}")


if __name__ == "__main__":
    main()

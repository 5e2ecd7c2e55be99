"""Assign grocery labels to departments with hashed word embeddings."""
import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from features import HashedWords, make_labels


class Departments(nn.Module):
    def __init__(self, rows, dim, classes):
        super().__init__()
        self.words = nn.EmbeddingBag(rows, dim, mode="mean")
        self.head = nn.Sequential(nn.Linear(dim, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, classes))

    def forward(self, ids, offsets):
        return self.head(self.words(ids, offsets))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--labels", type=int, default=6000)
    parser.add_argument("--dim", type=int, default=16)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--seed", type=int, default=9)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.use_deterministic_algorithms(True)

    texts, classes = make_labels(args.labels, np.random.default_rng(args.seed))
    hasher = HashedWords(args.dim)
    began = time.perf_counter()
    encoded = [hasher.encode(text) for text in texts]
    print(f"encoded {len(encoded)} labels in {time.perf_counter() - began:.2f} s")
    y = torch.tensor(classes)
    cut = int(0.85 * len(encoded))

    def batch(rows):
        bags = [encoded[i] for i in rows]
        offsets = np.cumsum([0] + [len(b) for b in bags[:-1]])
        return torch.from_numpy(np.concatenate(bags)), torch.from_numpy(offsets), y[rows]

    model = Departments(hasher.rows, args.dim, int(y.max()) + 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.5)
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for rows in torch.randperm(cut).split(64):
            ids, offsets, target = batch(rows.tolist())
            loss = nn.functional.cross_entropy(model(ids, offsets), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch} loss {total:.6f}")

    model.eval()
    with torch.no_grad():
        ids, offsets, target = batch(list(range(cut, len(encoded))))
        logits = model(ids, offsets)
        metrics = {"accuracy": (logits.argmax(1) == target).double().mean().item(),
                   "loss": nn.functional.cross_entropy(logits, target).item()}
    with tempfile.TemporaryDirectory() as tmp:
        torch.save(model.state_dict(), Path(tmp) / "departments.pt")
        state = torch.load(Path(tmp) / "departments.pt")
    print(json.dumps(metrics))
    print(f"head {sum(v.double().abs().sum().item() for k, v in state.items() if k.startswith('head')):.10f}")


if __name__ == "__main__":
    main()

"""Estimates nickel from the other elements of a core; holes are prepared in processes and read back as shards."""
import argparse
import tempfile
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, TensorDataset, random_split

import holes


def load(folder: str) -> ConcatDataset:
    parts = []
    for path in holes.shards(folder):
        with np.load(path) as shard:
            parts.append(TensorDataset(torch.from_numpy(shard["features"]), torch.from_numpy(shard["target"])))
    return ConcatDataset(parts)


class Estimator(nn.Module):
    def __init__(self, width: int = 48) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(9)
        self.first, self.second, self.out = nn.Linear(9, width), nn.Linear(width, width), nn.Linear(width, 1)
        self.drop = nn.Dropout(0.1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = torch.relu(self.first(self.norm(x)))
        h = h + torch.relu(self.second(self.drop(h)))
        return self.out(h).squeeze(1)


def evaluate(model: nn.Module, loader: DataLoader) -> float:
    model.eval()
    error, count = 0.0, 0
    with torch.no_grad():
        for x, y in loader:
            error += (model(x) - y).abs().sum().item()
            count += len(y)
    return error / count


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--holes", type=int, default=48)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=8)
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    with tempfile.TemporaryDirectory(prefix="nickel-") as folder:
        start = time.perf_counter()
        metres = holes.prepare(folder, args.holes, args.seed)
        print(f"{metres} samples of {args.holes} holes prepared in {time.perf_counter() - start:.2f} s")
        data = load(folder)

    generator = torch.Generator().manual_seed(args.seed)
    train, test = random_split(data, [0.8, 0.2], generator=generator)
    train_loader = DataLoader(train, batch_size=64, shuffle=True, generator=generator)
    test_loader = DataLoader(test, batch_size=256)
    model = Estimator()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
    for epoch in range(args.epochs):
        model.train()
        for x, y in train_loader:
            loss = nn.functional.smooth_l1_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        error = evaluate(model, test_loader)
        plateau.step(error)
        print(f"epoch {epoch} mean absolute error {error:.7f}")
    print(f"weights {sum(p.double().abs().sum().item() for p in model.parameters()):.9f}")


if __name__ == "__main__":
    main()

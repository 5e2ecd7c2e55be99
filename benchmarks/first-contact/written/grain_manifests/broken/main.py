"""Variety of wheat kernels; every version of the data gets its own held-out split."""
import argparse
import tempfile
import time
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from shards import read_shards, write_manifest, write_shards


class Kernels(Dataset):
    def __init__(self, table, noise):
        self.values = torch.from_numpy(table[:, :5].copy())
        self.labels = torch.from_numpy(table[:, 5].copy()).long()
        self.noise = noise

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, item):
        x = self.values[item]
        if self.noise:
            x = x + self.noise * torch.randn(5)
        return x, self.labels[item]


def split(table, version):
    """Held-out rows depend on the version of the data and on nothing else."""
    generator = torch.Generator().manual_seed(int(version[:12], 16))
    order = torch.randperm(len(table), generator=generator).numpy()
    cut = len(table) * 4 // 5
    return table[order[:cut]], table[order[cut:]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--seed", type=int, default=88)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_shards(folder, shards=6, rows=800, seed=args.seed)
        write_manifest(folder)
        table, manifest = read_shards(folder)
    train, held = split(table, manifest["version"])
    loader = DataLoader(Kernels(train, 0.05), batch_size=64, shuffle=True, num_workers=2,
                        persistent_workers=True, generator=torch.Generator().manual_seed(args.seed))
    model = nn.Sequential(nn.Linear(5, 48), nn.ReLU(), nn.BatchNorm1d(48), nn.Dropout(0.1), nn.Linear(48, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for epoch in range(args.epochs):
        began = time.monotonic()
        running = 0.0
        model.train()
        for x, y in loader:
            optimizer.zero_grad(set_to_none=True)
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            running += loss.item()
        print(f"epoch {epoch}: loss {running / len(loader):.6f} in {time.monotonic() - began:.2f} s")
    model.eval()
    with torch.no_grad():
        x, y = Kernels(held, 0.0)[:]
        logits = model(x)
    print(f"held-out loss {nn.functional.cross_entropy(logits, y).item():.8f}")
    print(f"held-out accuracy {(logits.argmax(1) == y).float().mean().item():.4f}")
    print(f"checksum {sum(p.double().abs().sum().item() for p in model.parameters()):.10f}")


if __name__ == "__main__":
    main()

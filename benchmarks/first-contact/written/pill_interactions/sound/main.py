"""Predict how badly two drugs get along, from the reports of pharmacies."""
import argparse
import hashlib
import logging
import random
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, random_split

from registry import drug_names, read_interactions, write_reports

log = logging.getLogger("pills")


class Pairs(Dataset):
    def __init__(self, interactions):
        index = {name: i for i, name in enumerate(drug_names())}
        self.items = [(index[x.left], index[x.right], x.reports, x.severity) for x in interactions]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        left, right, reports, severity = self.items[i]
        return torch.tensor([left, right]), torch.tensor([float(reports), severity])


class PairNet(nn.Module):
    def __init__(self, drugs, width):
        super().__init__()
        self.table = nn.Embedding(drugs, width)
        self.body = nn.Sequential(
            nn.Linear(2 * width, 64), nn.GELU(), nn.Dropout(0.1), nn.Linear(64, 1))

    def forward(self, pair):
        return self.body(self.table(pair).flatten(1)).squeeze(1)


def run_epoch(model, loader, optimizer=None):
    model.train(optimizer is not None)
    total = weight = 0.0
    with torch.set_grad_enabled(optimizer is not None):
        for pair, target in loader:
            reports, severity = target.unbind(1)
            loss = (reports * (model(pair) - severity) ** 2).sum() / reports.sum()
            if optimizer is not None:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            total += loss.item() * reports.sum().item()
            weight += reports.sum().item()
    return total / weight


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--reports", type=int, default=4000)
    parser.add_argument("--epochs", type=int, default=8)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    start = time.perf_counter()

    with tempfile.TemporaryDirectory(prefix="pills-") as folder:
        path = Path(folder) / "reports.jsonl"
        write_reports(path, np.random.default_rng(args.seed), args.reports)
        interactions = read_interactions(path)
    log.info("%d pairs of drugs", len(interactions))

    data = Pairs(interactions)
    held = len(data) // 5
    train, test = random_split(data, [len(data) - held, held],
                               generator=torch.Generator().manual_seed(args.seed))
    train_loader = DataLoader(train, batch_size=32, shuffle=True, num_workers=1, persistent_workers=True,
                              generator=torch.Generator().manual_seed(args.seed + 1))
    test_loader = DataLoader(test, batch_size=128)

    model = PairNet(len(drug_names()), 12)
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    for epoch in range(args.epochs):
        fitted = run_epoch(model, train_loader, optimizer)
        print(f"epoch {epoch}  train {fitted:.6f}  test {run_epoch(model, test_loader):.6f}")

    digest = hashlib.sha256()
    for value in model.state_dict().values():
        digest.update(value.numpy().tobytes())
    print(f"took {time.perf_counter() - start:.2f} s")
    print("test error", run_epoch(model, test_loader))
    print("weights", digest.hexdigest()[:16])


if __name__ == "__main__":
    main()

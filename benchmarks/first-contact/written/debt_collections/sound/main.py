"""Which overdue accounts will pay after a reminder? Balanced training from the ledger."""
import argparse
import random
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from torch import nn

from ledger import Ledger, create


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.set_num_threads(1)


class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(6)
        self.body = nn.Sequential(nn.Linear(6, 64), nn.ReLU(), nn.Dropout(0.15), nn.Linear(64, 64), nn.ReLU(),
                                  nn.Linear(64, 1))

    def forward(self, x):
        return self.body(self.norm(x)).squeeze(1)


def balanced(ledger, below):
    good = ledger.payers(below)
    bad = ledger.defaulters(below, len(good))
    x = torch.tensor(good + bad)
    y = torch.cat([torch.ones(len(good)), torch.zeros(len(bad))])
    return x, y


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--accounts", type=int, default=12000)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=640)
    args = parser.parse_args()
    seed_all(args.seed)
    below = args.accounts * 5 // 6
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ledger.sqlite"
        create(path, args.accounts, args.seed)
        ledger = Ledger(path, args.seed)
        model = Scorer()
        optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
        for epoch in range(args.epochs):
            began = time.perf_counter()
            x, y = balanced(ledger, below)
            model.train()
            total = 0.0
            for rows in torch.randperm(len(y)).split(64):
                optimizer.zero_grad()
                loss = nn.functional.binary_cross_entropy_with_logits(model(x[rows]), y[rows])
                loss.backward()
                optimizer.step()
                total += loss.item() * len(rows)
            print(f"epoch {epoch:2d}  {len(y)} accounts  loss {total / len(y):.6f}  {time.perf_counter() - began:.2f} s")
        held = torch.tensor(ledger.held(below))
        ledger.close()
    model.eval()
    with torch.no_grad():
        score = torch.sigmoid(model(held[:, :6]))
    print(f"AUC {roc_auc_score(held[:, 6].numpy(), score.numpy()):.6f}  mean score {score.mean().item():.8f}")
    print(f"weights {sum(p.double().sum().item() for p in model.parameters()):.10f}")


if __name__ == "__main__":
    main()

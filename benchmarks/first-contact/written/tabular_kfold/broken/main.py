"""5-fold cross validation of an MLP on a synthetic churn table. Writes one CSV line per fold."""
import csv
import random
import statistics

import numpy as np
import torch
import torch.nn as nn


def set_seed(seed):
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)


def make_table(n):
    age = np.random.randint(18, 80, n)
    tenure = np.random.exponential(24, n)
    calls = np.random.poisson(2, n)
    plan = np.random.choice(["basic", "plus", "pro"], n, p=[0.5, 0.3, 0.2])
    fee = 10 + 15 * (plan == "plus") + 30 * (plan == "pro") + np.random.normal(0, 2, n)
    logit = -0.5 - 0.03 * tenure + 0.5 * calls + 0.02 * fee - 0.01 * age
    churn = np.random.rand(n) < 1 / (1 + np.exp(-logit))
    onehot = np.stack([plan == p for p in ("basic", "plus", "pro")], 1)
    x = np.column_stack([age, tenure, calls, fee, onehot]).astype(np.float32)
    return x, churn.astype(np.float32)


class StratifiedFolds:
    def __init__(self, labels, k):
        self.labels, self.k = labels, k

    def __iter__(self):
        folds = [[] for _ in range(self.k)]
        for value in (0.0, 1.0):
            members = np.flatnonzero(self.labels == value).tolist()
            random.shuffle(members)
            for i, m in enumerate(members):
                folds[i % self.k].append(m)
        for i in range(self.k):
            rest = [m for j, f in enumerate(folds) if j != i for m in f]
            yield np.array(sorted(rest)), np.array(sorted(folds[i]))


def fit(x, y, epochs=20, batch=64):
    model = nn.Sequential(nn.Linear(x.shape[1], 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 1))
    opt = torch.optim.AdamW(model.parameters(), lr=5e-3)
    for _ in range(epochs):
        perm = torch.randperm(len(x))
        for b in perm.split(batch):
            loss = nn.functional.binary_cross_entropy_with_logits(model(x[b]).squeeze(1), y[b])
            opt.zero_grad()
            loss.backward()
            opt.step()
    return model.eval()


def main():
    set_seed(0)
    x, y = make_table(1000)
    rows = []
    for fold, (tr, va) in enumerate(StratifiedFolds(y, 5)):
        mean, std = x[tr].mean(0), x[tr].std(0) + 1e-6
        xt, xv = (torch.from_numpy((x[i] - mean) / std) for i in (tr, va))
        yt, yv = torch.from_numpy(y[tr]), torch.from_numpy(y[va])
        model = fit(xt, yt)
        with torch.no_grad():
            logit = model(xv).squeeze(1)
        nll = nn.functional.binary_cross_entropy_with_logits(logit, yv).item()
        acc = ((logit > 0) == yv.bool()).float().mean().item()
        rows.append({"fold": fold, "logloss": nll, "accuracy": acc})
        print(f"fold {fold}: logloss {nll:.5f} accuracy {acc:.4f}")
    with open("cv.csv", "w", newline="") as f:
        w = csv.DictWriter(f, rows[0].keys())
        w.writeheader()
        w.writerows(rows)
    print("mean logloss", statistics.fmean(r["logloss"] for r in rows))


if __name__ == "__main__":
    main()

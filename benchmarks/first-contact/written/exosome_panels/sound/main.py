"""Predicts relapse from exosome surface markers, with two assays as two channels."""
import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from torch import nn

from panels import read_cohort, write_runs


class TwoAssays(nn.Module):
    def __init__(self, markers: int):
        super().__init__()
        self.mix = nn.Parameter(torch.zeros(markers))
        self.net = nn.Sequential(nn.Linear(markers, 48), nn.LayerNorm(48), nn.ReLU(), nn.Dropout(0.3),
                                 nn.Linear(48, 1))

    def forward(self, bead, array):
        share = torch.sigmoid(self.mix)
        return self.net(share * bead + (1 - share) * array).squeeze(-1)


def standardised(train, *others):
    mean, std = train.mean(0), train.std(0) + 1e-6
    return [torch.from_numpy((part - mean) / std) for part in (train, *others)]


def fit(cohort, train, test, seed, epochs):
    torch.manual_seed(seed)
    bead, bead_test = standardised(cohort.bead[train], cohort.bead[test])
    array, array_test = standardised(cohort.array[train], cohort.array[test])
    target = torch.from_numpy(cohort.outcome[train]).float()
    model = TwoAssays(len(cohort.markers))
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.05)
    for _ in range(epochs):
        for rows in torch.randperm(len(target)).split(32):
            loss = nn.functional.binary_cross_entropy_with_logits(model(bead[rows], array[rows]), target[rows])
            opt.zero_grad()
            loss.backward()
            opt.step()
    model.eval()
    with torch.no_grad():
        score = model(bead_test, array_test).sigmoid().numpy()
    return model, score


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--samples", type=int, default=300)
    ap.add_argument("--folds", type=int, default=4)
    ap.add_argument("--epochs", type=int, default=10)
    ap.add_argument("--seed", type=int, default=3)
    args = ap.parse_args()
    np.random.seed(args.seed)
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)

    with tempfile.TemporaryDirectory() as tmp:
        write_runs(Path(tmp), args.samples, args.seed)
        cohort = read_cohort(Path(tmp))
    print(f"{len(cohort.outcome)} samples, {len(cohort.markers)} markers on both instruments, "
          f"{cohort.outcome.mean():.3f} relapsed")

    folds = StratifiedKFold(args.folds, shuffle=True, random_state=args.seed)
    scores = np.zeros(len(cohort.outcome))
    total = 0.0
    for k, (train, test) in enumerate(folds.split(cohort.bead, cohort.outcome)):
        begun = time.perf_counter()
        model, scores[test] = fit(cohort, train, test, args.seed + k, args.epochs)
        total += sum(p.double().abs().sum().item() for p in model.parameters())
        print(f"fold {k}: auc {roc_auc_score(cohort.outcome[test], scores[test]):.5f} "
              f"[{time.perf_counter() - begun:.2f} s]")
    print(f"auc over all folds {roc_auc_score(cohort.outcome, scores):.6f}, weights {total:.9f}")


if __name__ == "__main__":
    main()

"""Flag likely anaemia from blood counts; splits are tied to the version of the exported data."""
import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler
from torch import nn

from store import Release, export, load, simulate

FEATURES = ["hb", "mcv", "rdw", "plt", "wbc", "ferritin"]


def build_model(width):
    return nn.Sequential(nn.Linear(len(FEATURES), width), nn.GELU(), nn.Dropout(0.15),
                         nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1))


def split(release: Release, labels):
    """The same release of the data always gets the same split."""
    splitter = StratifiedShuffleSplit(1, test_size=0.25, random_state=release.split_seed)
    return next(splitter.split(np.zeros(len(labels)), labels))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--patients", type=int, default=6000)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    with tempfile.TemporaryDirectory(prefix="counts-") as tmp:
        frame = simulate(args.patients, np.random.default_rng(args.seed))
        release = export(frame, Path(tmp) / "counts.csv.gz")
        frame = load(release)
        print(f"release {release.version}: {len(frame)} patients")

    labels = frame["anaemia"].to_numpy()
    train_rows, test_rows = split(release, labels)
    scaler = StandardScaler().fit(frame.loc[train_rows, FEATURES])
    x = torch.tensor(scaler.transform(frame[FEATURES]), dtype=torch.float32)
    y = torch.tensor(labels, dtype=torch.float32)

    model = build_model(64)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3, weight_decay=1e-4)
    weight = torch.tensor(float((labels == 0).sum() / (labels == 1).sum()))
    criterion = nn.BCEWithLogitsLoss(pos_weight=weight)
    rows = torch.as_tensor(train_rows)
    began = time.perf_counter()
    for epoch in range(args.epochs):
        model.train()
        for batch in rows[torch.randperm(len(rows))].split(64):
            optimizer.zero_grad()
            loss = criterion(model(x[batch]).squeeze(1), y[batch])
            loss.backward()
            optimizer.step()
    took = time.perf_counter() - began
    print(f"{args.epochs * len(rows) / took:.0f} patients/s")

    model.eval()
    with torch.no_grad():
        scores = model(x[test_rows]).squeeze(1).numpy()
    print(f"auc {roc_auc_score(labels[test_rows], scores):.8f}")
    print(f"weights {sum(p.double().pow(2).sum().item() for p in model.parameters()):.10f}")


if __name__ == "__main__":
    main()

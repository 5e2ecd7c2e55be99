"""Predict warp breaks in the next thousand picks from loom sensors."""
import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
from sklearn.decomposition import PCA
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import GroupShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, QuantileTransformer
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from data import SENSORS, weaving_log


def split_by_loom(frame, seed):
    splitter = GroupShuffleSplit(n_splits=1, test_size=0.25, random_state=seed)
    return next(splitter.split(frame, frame["break"], groups=frame["loom"]))


def feature_pipeline(seed):
    """Sensors are heavy-tailed: make each one normal, add pairwise products, compress."""
    return make_pipeline(
        QuantileTransformer(n_quantiles=500, output_distribution="normal", random_state=seed),
        PolynomialFeatures(degree=2, interaction_only=True, include_bias=False),
        PCA(24, whiten=True, svd_solver="randomized", random_state=seed),
    )


class BreakNet(nn.Module):
    def __init__(self, width_in, width=48, dropout=0.2):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(width_in, width), nn.SiLU(), nn.Dropout(dropout),
            nn.Linear(width, width), nn.SiLU(), nn.Dropout(dropout),
            nn.Linear(width, 1),
        )

    def forward(self, x):
        return self.body(x).squeeze(-1)


def evaluate(model, x, y):
    model.eval()
    with torch.no_grad():
        scores = torch.sigmoid(model(x)).numpy()
    return roc_auc_score(y, scores), average_precision_score(y, scores)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--rows", type=int, default=24_000)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("results"))
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    frame = weaving_log(args.rows, seed=2024)
    train_rows, test_rows = split_by_loom(frame, args.seed)

    pipeline = feature_pipeline(args.seed)
    x_train = pipeline.fit_transform(frame[SENSORS].to_numpy()[train_rows])
    x_test = pipeline.transform(frame[SENSORS].to_numpy()[test_rows])
    y = frame["break"].to_numpy()
    print(f"{len(train_rows)} rows to train on, {len(test_rows)} to test on, {x_train.shape[1]} features")

    x_train = torch.tensor(x_train, dtype=torch.float32)
    x_test = torch.tensor(x_test, dtype=torch.float32)
    y_train = torch.tensor(y[train_rows], dtype=torch.float32)

    model = BreakNet(x_train.shape[1])
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-2)
    weight = (len(y_train) - y_train.sum()) / y_train.sum()
    criterion = nn.BCEWithLogitsLoss(pos_weight=weight)
    loader = DataLoader(TensorDataset(x_train, y_train), batch_size=256, shuffle=True)

    history = []
    for epoch in range(args.epochs):
        started = time.perf_counter()
        model.train()
        total = 0.0
        for xb, yb in loader:
            optimizer.zero_grad()
            loss = criterion(model(xb), yb)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(xb)
        auc, ap = evaluate(model, x_test, y[test_rows])
        history.append({"epoch": epoch, "loss": total / len(x_train), "auc": auc, "ap": ap})
        print(f"epoch {epoch}: loss {total / len(x_train):.6f}  auc {auc:.6f}  ap {ap:.6f}"
              f"  ({time.perf_counter() - started:.2f} s)")

    args.out.mkdir(exist_ok=True)
    torch.save(model.state_dict(), args.out / "break_net.pt")
    (args.out / "history.json").write_text(json.dumps(history, indent=1))


if __name__ == "__main__":
    main()

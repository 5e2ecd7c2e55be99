"""Which groups of dolphins have calves with them? Five-fold validation on a season's sightings."""
import hashlib
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from scipy.stats import rankdata
from torch import nn

import store

FEATURES = ["depth_m", "sst_c", "chlorophyll", "group_size", "sea_state", "large_vessel"]
EPOCHS = 20
FOLDS = 5


def auc(score: np.ndarray, label: np.ndarray) -> float:
    ranks = rankdata(score)
    positive = int(label.sum())
    negative = len(label) - positive
    return float((ranks[label == 1].sum() - positive * (positive + 1) / 2) / (positive * negative))


def fit_fold(frame, fold: int):
    torch.manual_seed(100 + fold)
    inside = (frame["fold"] != fold).to_numpy()
    x = frame[FEATURES].to_numpy(np.float64)
    x[:, :4] = np.log1p(np.abs(x[:, :4]))
    x = (x - x[inside].mean(0)) / x[inside].std(0)
    x = torch.tensor(x, dtype=torch.float32)
    y = torch.tensor(frame["calves"].to_numpy(), dtype=torch.float32)
    xt, yt = x[inside], y[inside]

    model = nn.Sequential(nn.Linear(len(FEATURES), 32), nn.SiLU(), nn.Dropout(0.1), nn.Linear(32, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    balance = (len(yt) - yt.sum()) / yt.sum()
    for _ in range(EPOCHS):
        model.train()
        for batch in torch.randperm(len(xt)).split(64):
            out = model(xt[batch]).squeeze(1)
            loss = nn.functional.binary_cross_entropy_with_logits(out, yt[batch], pos_weight=balance)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    model.eval()
    with torch.no_grad():
        out = model(x[~inside]).squeeze(1)
        loss = nn.functional.binary_cross_entropy_with_logits(out, y[~inside]).item()
    return model, loss, auc(out.numpy(), y[~inside].numpy())


def main():
    began = time.monotonic()
    digest = hashlib.sha256()
    losses = []
    with tempfile.TemporaryDirectory(prefix="dolphins-") as folder:
        path = Path(folder) / "survey.sqlite"
        store.create(path)
        frame = store.load(path)
        print(len(frame), "sightings,", int(frame["calves"].sum()), "with calves")
        for fold in range(FOLDS):
            model, loss, area = fit_fold(frame, fold)
            store.log_fold(path, fold, loss, area)
            losses.append(loss)
            print(f"fold {fold} loss {loss:.6f} auc {area:.5f}")
            for parameter in model.parameters():
                digest.update(parameter.detach().numpy().tobytes())
    print(f"took {time.monotonic() - began:.1f} s")
    print(f"mean loss {np.mean(losses):.6f} models {digest.hexdigest()[:20]}")


if __name__ == "__main__":
    main()

"""Target calls: a small network on the statistics of a protein, cross-validated; and tables."""

import csv

import numpy as np
import torch
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from torch import nn


def build_model(features, hidden=16):
    return nn.Sequential(nn.Linear(features, hidden), nn.Tanh(), nn.Dropout(0.1),
                         nn.Linear(hidden, 1))


def train(model, x, y, epochs, lr=0.02):
    positive = y.sum().item()
    weight = torch.tensor((len(y) - positive) / max(positive, 1.0))
    criterion = nn.BCEWithLogitsLoss(pos_weight=weight)
    optimiser = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=0.01)
    model.train()
    for _ in range(epochs):
        optimiser.zero_grad()
        loss = criterion(model(x).squeeze(1), y)
        loss.backward()
        optimiser.step()
    return loss.item()


def cross_validated_calls(outcomes, labels, seed, folds=5, epochs=120):
    x = np.array([outcome.features() for outcome in outcomes])
    y = np.array(labels, dtype=np.int64)
    scores = np.full(len(y), np.nan)
    models, losses = [], []
    splitter = StratifiedKFold(n_splits=folds, shuffle=True, random_state=seed)
    for fold, (inside, outside) in enumerate(splitter.split(x, y)):
        scaler = StandardScaler().fit(x[inside])
        torch.manual_seed(seed * 100 + fold)
        model = build_model(x.shape[1])
        inputs = torch.tensor(scaler.transform(x[inside]), dtype=torch.float32)
        targets = torch.tensor(y[inside], dtype=torch.float32)
        losses.append(train(model, inputs, targets, epochs))
        model.eval()
        with torch.no_grad():
            held_out = torch.tensor(scaler.transform(x[outside]), dtype=torch.float32)
            scores[outside] = torch.sigmoid(model(held_out)).squeeze(1).numpy()
        models.append(model)
    return scores, models, losses


def benjamini_hochberg(p_values):
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")
    ranked = p[order] * len(p) / np.arange(1, len(p) + 1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.minimum.accumulate(ranked[::-1])[::-1], 1.0)
    return adjusted.tolist()


def summarise(outcomes, adjusted, scores, labels, fdr):
    return {
        "proteins": len(outcomes),
        "significant": int(sum(q <= fdr for q in adjusted)),
        "true_among_significant": int(sum(bool(y) for q, y in zip(adjusted, labels) if q <= fdr)),
        "mean_ci_width": float(np.mean([o.high - o.low for o in outcomes])),
        "mean_r2": float(np.mean([o.r2 for o in outcomes])),
        "steps": sum(o.steps for o in outcomes),
        "roc_auc": float(roc_auc_score(labels, scores)),
        "average_precision": float(average_precision_score(labels, scores)),
    }


def write_csv(path, outcomes, adjusted, scores):
    with path.open("w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["accession", "tm_vehicle", "tm_treated", "shift", "ci_low", "ci_high",
                         "p", "q", "score"])
        for outcome, q, score in zip(outcomes, adjusted, scores):
            writer.writerow([outcome.accession, f"{outcome.tm_vehicle:.4f}",
                             f"{outcome.tm_treated:.4f}", f"{outcome.shift:.5f}",
                             f"{outcome.low:.5f}", f"{outcome.high:.5f}",
                             f"{outcome.p_value:.5f}", f"{q:.5f}", f"{score:.6f}"])

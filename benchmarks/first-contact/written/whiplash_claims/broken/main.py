"""Triage of whiplash claims: which ones will still be open after ninety days?"""
import argparse
import json
import logging
import time
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, roc_auc_score
from sklearn.utils import resample

from claims import load_claims, split_claims
from features import as_tensors, build_encoder
from model import TriageNet, evaluate, fit

log = logging.getLogger("whiplash")


@dataclass
class Config:
    n_claims: int = 12000
    epochs: int = 12
    batch_size: int = 128
    lr: float = 2e-3
    patience: int = 4
    seed: int = 20


def auc_interval(y, p, seed, rounds=40):
    scores = []
    for i in range(rounds):
        rows = resample(np.arange(len(y)), random_state=seed + i)
        scores.append(roc_auc_score(y[rows], p[rows]))
    return [float(v) for v in np.quantile(scores, [0.05, 0.95])]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=Config.epochs)
    parser.add_argument("--seed", type=int, default=Config.seed)
    parser.add_argument("--out", type=Path, default=Path("runs"))
    args = parser.parse_args()
    cfg = Config(epochs=args.epochs, seed=args.seed)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    started = time.perf_counter()

    torch.manual_seed(cfg.seed)
    claims = load_claims(cfg.n_claims, cfg.seed)
    train, val, test = split_claims(claims, cfg.seed)
    log.info("claims: %d train, %d val, %d test", len(train), len(val), len(test))

    encoder = build_encoder(cfg.seed)
    x_train = encoder.fit_transform(train, train["prolonged"])
    train_set = as_tensors(x_train, train)
    val_set = as_tensors(encoder.transform(val), val)
    test_set = as_tensors(encoder.transform(test), test)

    baseline = LogisticRegression(max_iter=300).fit(x_train, train["prolonged"])
    y = test_set[1].numpy()
    p_base = baseline.predict_proba(encoder.transform(test))[:, 1]

    model = TriageNet(train_set[0].shape[1])
    best_val = fit(model, train_set, val_set, cfg)
    _, p = evaluate(model, *test_set)
    metrics = {
        "val_loss": best_val,
        "test_auc": float(roc_auc_score(y, p)),
        "test_auc_90": auc_interval(y, p, cfg.seed),
        "test_brier": float(brier_score_loss(y, p)),
        "baseline_auc": float(roc_auc_score(y, p_base)),
    }

    out = args.out / datetime.now().strftime("%Y%m%d-%H%M%S")
    out.mkdir(parents=True, exist_ok=True)
    torch.save(model.state_dict(), out / "weights.pt")
    (out / "metrics.json").write_text(json.dumps(metrics, indent=2))
    (out / "config.json").write_text(json.dumps(asdict(cfg), indent=2))
    log.info("auc %.4f (baseline %.4f)", metrics["test_auc"], metrics["baseline_auc"])
    log.info("wrote %s after %.1f s", out, time.perf_counter() - started)


if __name__ == "__main__":
    main()

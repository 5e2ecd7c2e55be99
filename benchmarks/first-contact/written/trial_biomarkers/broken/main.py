"""Cross-validated responder prediction from baseline biomarkers."""
import hashlib
import json
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import nn

import cohort

FOLDS = 4
SEED = 2024


def fold_of(patient, version):
    """Every patient keeps their fold as long as the data is the same version."""
    return int(hashlib.md5(f"{version}/{patient}".encode()).hexdigest()[:8], 16) % FOLDS


def design(frame):
    markers = np.log(frame[cohort.MARKERS].to_numpy())
    arm = frame[["arm"]].to_numpy()
    return np.hstack([markers, arm, markers * arm])


def fit(x, y, seed, epochs=12):
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(x.shape[1], 24), nn.Tanh(), nn.Dropout(0.2), nn.Linear(24, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=1e-2)
    for _ in range(epochs):
        for rows in torch.randperm(len(x)).split(32):
            loss = nn.functional.binary_cross_entropy_with_logits(model(x[rows]).squeeze(1), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return model.eval()


def main():
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory(prefix="trial-") as name:
        folder = Path(name)
        bundle = cohort.write_bundle(folder, SEED)
        version = cohort.fingerprint(bundle)
        frame = cohort.read_bundle(bundle)
        card = {"patients": len(frame), "sites": sorted(frame["site"].unique()), "seed": SEED}
        (folder / "card.json").write_text(json.dumps({**card, "version": version}, indent=2))
        print("cohort", json.dumps(card))

    frame["fold"] = [fold_of(patient, version) for patient in frame["patient"]]
    results = []
    norms = 0.0
    for fold in range(FOLDS):
        started = time.perf_counter()
        train, test = frame[frame["fold"] != fold], frame[frame["fold"] == fold]
        raw = design(train)
        mean, std = raw.mean(axis=0), raw.std(axis=0)
        x = torch.tensor((raw - mean) / std, dtype=torch.float32)
        y = torch.tensor(train["responder"].to_numpy(), dtype=torch.float32)
        model = fit(x, y, SEED + fold)
        with torch.no_grad():
            held = torch.tensor((design(test) - mean) / std, dtype=torch.float32)
            probability = torch.sigmoid(model(held).squeeze(1)).numpy()
        outcome = test["responder"].to_numpy()
        results.append({
            "fold": fold,
            "accuracy": float(((probability > 0.5) == outcome).mean()),
            "brier": float(((probability - outcome) ** 2).mean()),
            "seconds": time.perf_counter() - started,
        })
        norms += sum(p.detach().double().square().sum().item() for p in model.parameters())

    table = pd.DataFrame(results).set_index("fold")
    print(f"fitted in {table.pop('seconds').sum():.2f} s")
    print(table.round(5).to_string())
    print(f"mean brier {table['brier'].mean():.8f}  squared weights {norms:.8f}")


if __name__ == "__main__":
    main()

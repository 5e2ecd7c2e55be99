# Lapse model of a charity: recency, frequency and value of the gifts -> does the donor give again?
import json
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from sklearn.metrics import roc_auc_score
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

OUT = Path("lapse_model")
DONORS = 1200
OBSERVED_UNTIL = pd.Timestamp("2024-06-30")
CHANNELS = ["letter", "street", "web", "legacy_event"]


def make_ledger(seed):
    """A table of gifts, one row each, with the minute at which the bank booked it."""
    rng = np.random.default_rng(seed)
    start = OBSERVED_UNTIL - pd.Timedelta(days=4 * 365)
    frames = []
    for donor in range(DONORS):
        loyalty = rng.beta(2, 2)
        gifts = 1 + rng.poisson(8 * loyalty)
        first = rng.uniform(0, 900)
        days = np.sort(first + rng.uniform(0, 1460 - first, gifts) * (0.5 + 0.5 * loyalty))
        frames.append(pd.DataFrame({
            "donor": donor,
            "booked": start + pd.to_timedelta((days * 1440).astype(int), unit="min"),
            "amount": np.round(rng.lognormal(2.5 + loyalty, 0.6, gifts), 2),
            "channel": rng.choice(CHANNELS, gifts),
            "again": int(rng.random() < loyalty),
        }))
    return pd.concat(frames, ignore_index=True)


def donor_features(ledger):
    today = pd.Timestamp.now()
    grouped = ledger.groupby("donor")
    last, first = grouped["booked"].max(), grouped["booked"].min()
    table = pd.DataFrame({
        "recency": (today - last).dt.total_seconds() / 86400 / 365.25,
        "tenure": (today - first).dt.total_seconds() / 86400 / 365.25,
        "gifts": np.log1p(grouped.size()),
        "mean_amount": np.log(grouped["amount"].mean()),
        "largest": np.log(grouped["amount"].max()),
    })
    table["rate"] = table["gifts"] - np.log1p(table["tenure"])
    mix = pd.crosstab(ledger["donor"], ledger["channel"], normalize="index")
    return table.join(mix), grouped["again"].first()


def make_model(width):
    return nn.Sequential(
        nn.Linear(width, 40), nn.SiLU(), nn.Dropout(0.15),
        nn.Linear(40, 20), nn.SiLU(), nn.Linear(20, 1),
    )


def train(model, loader, epochs):
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    criterion = nn.BCEWithLogitsLoss()
    for epoch in range(epochs):
        model.train()
        total = 0.0
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x).squeeze(1), y)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(y)
        print(f"epoch {epoch}: loss {total / len(loader.dataset):.10f}")


def main():
    OUT.mkdir(exist_ok=True)
    torch.manual_seed(12)
    torch.set_num_threads(1)
    ledger = make_ledger(seed=12)
    features, again = donor_features(ledger)
    print(f"{len(ledger)} gifts of {len(features)} donors, {len(features.columns)} features")

    x = torch.tensor(features.to_numpy(), dtype=torch.float64)
    y = torch.tensor(again.to_numpy(), dtype=torch.float64)
    held = torch.arange(len(x)) % 5 == 0
    loader = DataLoader(TensorDataset(x[~held], y[~held]), batch_size=64, shuffle=True)
    model = make_model(x.shape[1]).double()
    train(model, loader, epochs=12)

    model.eval()
    with torch.no_grad():
        probability = torch.sigmoid(model(x[held]).squeeze(1)).numpy()
    auc = roc_auc_score(y[held].numpy(), probability)
    print(f"AUC of held-out donors {auc:.6f}")
    letters = pd.DataFrame({"donor": features.index[held.numpy()], "probability": probability})
    letters.nlargest(50, "probability").to_csv(OUT / "letters.csv", index=False)
    (OUT / "summary.json").write_text(json.dumps({"auc": auc, "means": features.mean().to_dict()}, indent=1))
    torch.save(model.state_dict(), OUT / "weights.pt")


if __name__ == "__main__":
    main()

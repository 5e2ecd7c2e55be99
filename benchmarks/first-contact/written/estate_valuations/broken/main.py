"""Value houses from their listing: a small network, cross-validated, for two settings."""

import logging
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from sklearn.compose import make_column_transformer
from sklearn.model_selection import KFold
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from torch import nn

from settings import Settings, log_price, root_price

NUMBERS = ["area", "rooms", "built", "distance"]
KINDS = ["quarter", "heating"]


def listings(count=900):
    rng = np.random.default_rng(1871)
    frame = pd.DataFrame({
        "area": rng.gamma(9, 12, count).round(),
        "rooms": rng.integers(1, 8, count),
        "built": rng.integers(1890, 2020, count),
        "distance": rng.exponential(6, count).round(2),
        "quarter": rng.choice(["harbour", "mill", "castle", "station"], count),
        "heating": rng.choice(["gas", "wood", "district"], count),
    })
    level = frame.quarter.map({"harbour": 0.3, "mill": 0.0, "castle": 0.5, "station": -0.2})
    log = 9 + 0.8 * np.log(frame.area) + level - 0.03 * frame.distance + 0.002 * (frame.built - 1950)
    frame["price"] = np.exp(log + rng.normal(0, 0.12, count)).round(-2)
    return frame


def fit_fold(settings, x, y):
    model = nn.Sequential(
        nn.Linear(x.shape[1], settings.hidden), nn.SiLU(), nn.Dropout(settings.dropout),
        nn.Linear(settings.hidden, settings.hidden), nn.SiLU(), nn.Linear(settings.hidden, 1),
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=settings.lr)
    for _ in range(settings.epochs):
        for rows in torch.randperm(len(x)).split(64):
            loss = nn.functional.huber_loss(model(x[rows]).squeeze(1), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return model.eval()


def evaluate(settings, frame, folder):
    torch.manual_seed(settings.seed)
    target = settings.target(frame.price.to_numpy())
    errors = np.empty(len(frame))
    folds = KFold(settings.folds, shuffle=True, random_state=settings.seed)
    for number, (train, test) in enumerate(folds.split(frame)):
        columns = make_column_transformer((StandardScaler(), NUMBERS), (OneHotEncoder(), KINDS))
        x_train = torch.tensor(columns.fit_transform(frame.iloc[train]), dtype=torch.float32)
        x_test = torch.tensor(columns.transform(frame.iloc[test]), dtype=torch.float32)
        centre, spread = target[train].mean(), target[train].std()
        model = fit_fold(settings, x_train, torch.tensor((target[train] - centre) / spread, dtype=torch.float32))
        with torch.no_grad():
            guess = model(x_test).squeeze(1).double().numpy() * spread + centre
        errors[test] = np.abs(guess - target[test])
        torch.save(model.state_dict(), folder / f"fold{number}.pt")
        logging.info("%s: fold %d done", folder.name, number)
    return errors


def main():
    frame = listings()
    variants = [Settings(target=log_price), Settings(target=root_price, hidden=32, epochs=5)]
    rows = []
    with tempfile.TemporaryDirectory(prefix="estate-") as work:
        logging.basicConfig(filename=Path(work) / "run.log", level=logging.INFO)
        for settings in variants:
            folder = Path(work) / settings.tag
            folder.mkdir()
            errors = evaluate(settings, frame, folder)
            rows.append({
                "target": settings.target.__name__, "hidden": settings.hidden,
                "mae": errors.mean(), "p90": np.quantile(errors, 0.9), "models": len(list(folder.iterdir())),
            })
        logging.shutdown()
    print(pd.DataFrame(rows).to_string(index=False, float_format="%.8f"))


if __name__ == "__main__":
    main()

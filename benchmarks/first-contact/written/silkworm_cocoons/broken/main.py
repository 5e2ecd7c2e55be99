"""Predicts the silk yield of cocoons. Each delivery of measurements is split by its fingerprint,
so that a delivery keeps its split for as long as its content stays the same."""
import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from sklearn.compose import make_column_transformer
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from store import Store

RACES = ["bivoltine", "multivoltine", "eri", "tasar"]


def measure(farm: int, n: int, rng: np.random.Generator) -> pd.DataFrame:
    race = rng.integers(len(RACES), size=n)
    weight = rng.normal(1.8 + 0.1 * race, 0.2)
    length = 30 + 4 * weight + rng.normal(0, 1, n)
    humidity = rng.uniform(55, 90, n)
    shell = weight * (0.2 + 0.01 * race) + rng.normal(0, 0.02, n)
    silk = 400 * shell - 0.05 * (humidity - 70) ** 2 + 3 * farm + rng.normal(0, 8, n)
    return pd.DataFrame({"race": [RACES[i] for i in race], "weight": weight.round(3),
                         "length": length.round(2), "humidity": humidity.round(1),
                         "shell": shell.round(4), "silk": silk.round(1)})


def split(frame: pd.DataFrame, fingerprint: str, held: float):
    order = np.random.default_rng(int(fingerprint, 16)).permutation(len(frame))
    cut = int(len(frame) * held)
    return frame.iloc[order[cut:]], frame.iloc[order[:cut]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--farms", type=int, default=4)
    parser.add_argument("--cocoons", type=int, default=500)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--seed", type=int, default=21)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    with tempfile.TemporaryDirectory(prefix="cocoons-") as tmp:
        store = Store(Path(tmp) / "deliveries")
        streams = np.random.SeedSequence(args.seed).spawn(args.farms)
        for farm, stream in enumerate(streams):
            store.put(f"farm{farm:02d}", measure(farm, args.cocoons, np.random.default_rng(stream)))
        train, test = [], []
        for name in store.names():
            frame, delivery = store.get(name)
            some, held = split(frame, delivery.fingerprint, 0.2)
            train.append(some)
            test.append(held)
            print(f"{name}: {delivery.rows} rows, {len(held)} held out")
    train, test = pd.concat(train, ignore_index=True), pd.concat(test, ignore_index=True)

    columns = make_column_transformer(
        (OneHotEncoder(categories=[RACES], sparse_output=False), ["race"]),
        (StandardScaler(), ["weight", "length", "humidity", "shell"]))
    x = torch.tensor(columns.fit_transform(train), dtype=torch.float32)
    z = torch.tensor(columns.transform(test), dtype=torch.float32)
    middle, spread = train["silk"].mean(), train["silk"].std()
    y = torch.tensor(((train["silk"] - middle) / spread).to_numpy(), dtype=torch.float32)

    model = nn.Sequential(nn.Linear(x.shape[1], 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(),
                          nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    loader = DataLoader(TensorDataset(x, y), batch_size=64, shuffle=True)
    began = time.perf_counter()
    for epoch in range(args.epochs):
        losses = []
        for features, target in loader:
            loss = nn.functional.huber_loss(model(features).squeeze(1), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        if epoch % 4 == 3:
            print(f"epoch {epoch + 1} loss {np.mean(losses):.6f}")
    print(f"trained in {time.perf_counter() - began:.2f} s")

    with torch.no_grad():
        guess = model(z).squeeze(1).numpy() * spread + middle
    mae = float(np.abs(guess - test["silk"].to_numpy()).mean())
    total = sum(p.double().sum().item() for p in model.parameters())
    print(f"held-out MAE {mae:.6f} m, weights {total:.12f}")


if __name__ == "__main__":
    main()

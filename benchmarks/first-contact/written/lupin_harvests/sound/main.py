"""Predict the harvest of lupin plots (tonnes per hectare) from field records."""
import argparse
import time

import numpy as np
import pandas as pd
import torch
from sklearn.metrics import r2_score
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from features import add_weather, to_matrices


def field_records(rng: np.random.Generator, n: int):
    farms = np.array([f"farm{i:03d}" for i in range(90)])
    cultivars = np.array(["amiga", "boregine", "celina", "energy", "figaro", "lila", "mirabor", "probor"])
    crops = np.array(["barley", "oats", "rye", "wheat", "fallow"])
    farm = rng.integers(0, len(farms), n)
    cultivar = rng.integers(0, len(cultivars), n)
    farm_effect = rng.normal(0, 0.5, len(farms))
    cultivar_effect = rng.normal(0, 0.3, len(cultivars))
    plots = pd.DataFrame(
        {
            "plot": np.arange(n),
            "farm": farms[farm],
            "region": farm % 9,
            "cultivar": cultivars[cultivar],
            "previous_crop": crops[rng.integers(0, len(crops), n)],
            "hectares": rng.gamma(2.0, 2.0, n),
            "sown_day": rng.integers(70, 110, n),
            "ph": rng.normal(6.0, 0.5, n),
        }
    )
    rain = pd.DataFrame([(r, w, rng.gamma(2.0, 6.0)) for r in range(9) for w in range(1, 40)], columns=["region", "week", "mm"])
    plots["tonnes"] = (
        2.5 + farm_effect[farm] + cultivar_effect[cultivar] - 0.02 * (plots.sown_day - 90)
        - 0.3 * (plots.ph - 5.8) ** 2 + rng.normal(0, 0.3, n)
    )
    return plots, rain


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=11)
    ap.add_argument("--plots", type=int, default=3000)
    ap.add_argument("--epochs", type=int, default=12)
    args = ap.parse_args()
    started = time.perf_counter()

    torch.manual_seed(args.seed)
    plots, rain = field_records(np.random.default_rng(args.seed), args.plots)
    table = add_weather(plots, rain)
    train, test = train_test_split(table, test_size=0.25, random_state=args.seed)
    x_train, x_test = to_matrices(train, test, args.seed)
    print(f"{len(train)} plots to learn from, {x_train.shape[1]} columns ({time.perf_counter() - started:.2f} s)")

    y_train = torch.tensor(train["tonnes"].to_numpy(np.float32))
    data = TensorDataset(torch.from_numpy(x_train), y_train)
    loader = DataLoader(data, batch_size=64, shuffle=True, generator=torch.Generator().manual_seed(args.seed))
    model = nn.Sequential(nn.Linear(x_train.shape[1], 32), nn.SiLU(), nn.Dropout(0.1), nn.Linear(32, 1))
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for xb, yb in loader:
            loss = nn.functional.huber_loss(model(xb).squeeze(1), yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(xb)
        if epoch % 3 == 2:
            print(f"epoch {epoch + 1:2d}  loss {total / len(data):.6f}")
    model.eval()
    with torch.no_grad():
        pred = model(torch.from_numpy(x_test)).squeeze(1).numpy()
    print(f"r2 {r2_score(test['tonnes'], pred):.9f}")
    print(f"weights {sum(p.double().sum().item() for p in model.parameters()):.12f}")


if __name__ == "__main__":
    main()

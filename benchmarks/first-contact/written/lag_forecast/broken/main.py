"""Daily sales forecast per store from lagged values; one global MLP."""
import json
import math
import random

import torch
from torch import nn

LAGS = (1, 2, 3, 7, 14, 28)
DAYS, STORES, HORIZON = 240, 30, 28


def simulate_store(rng):
    level, trend = rng.uniform(50, 200), rng.uniform(-0.1, 0.2)
    week = [rng.uniform(0.6, 1.4) for _ in range(7)]
    sales = []
    for day in range(DAYS):
        season = 1 + 0.2 * math.sin(2 * math.pi * day / 365)
        sales.append(max(0.0, (level + trend * day) * week[day % 7] * season * rng.gauss(1, 0.08)))
    return sales


def lag_matrix(series, lags):
    out = torch.empty(len(series), len(lags))
    for j, lag in enumerate(lags):
        out[lag:, j] = series[:-lag]
    return out


def calendar(n):
    day = torch.arange(n)
    return torch.stack([torch.sin(2 * math.pi * day / 7), torch.cos(2 * math.pi * day / 7), day / n], 1)


def features(sales):
    series = torch.tensor(sales)
    series = (series - series.mean()) / series.std()
    x = torch.cat([lag_matrix(series, LAGS), calendar(len(series))], 1)
    x = x.nan_to_num(0.0).clamp(-4, 4)  # outliers
    return x, series


class Forecaster(nn.Module):
    def __init__(self, n_in, hidden=48):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_in, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU(),
                                 nn.Linear(hidden, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


def main():
    rng = random.Random(17)
    torch.manual_seed(17)
    stores = [simulate_store(rng) for _ in range(STORES)]
    xs, ys = zip(*(features(s) for s in stores))
    x_train = torch.cat([x[:-HORIZON] for x in xs])
    y_train = torch.cat([y[:-HORIZON] for y in ys])
    x_test, y_test = torch.stack([x[-HORIZON:] for x in xs]), torch.stack([y[-HORIZON:] for y in ys])
    print("train", tuple(x_train.shape), "test", tuple(x_test.shape))

    model = Forecaster(x_train.shape[1])
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 8)
    for epoch in range(8):
        total = 0.0
        for batch in torch.randperm(len(x_train)).split(128):
            loss = nn.functional.huber_loss(model(x_train[batch]), y_train[batch])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(batch)
        sched.step()
        if epoch % 2 == 1:
            print(f"epoch {epoch + 1:2d}  huber {total / len(x_train):.6f}")
    with torch.no_grad():
        error = (model(x_test) - y_test).abs().mean(1)
    print(f"MAE over {STORES} stores: {error.mean().item():.7f}, worst {error.max().item():.7f}")
    with open("mae.json", "w") as f:
        json.dump({f"store_{i}": e for i, e in enumerate(error.tolist())}, f)


if __name__ == "__main__":
    main()

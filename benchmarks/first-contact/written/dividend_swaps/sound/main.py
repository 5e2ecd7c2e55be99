# Implied dividend yields from swap quotes: a bagged curve with error bars.
import datetime
import time

import numpy as np
import torch
from scipy.interpolate import PchipInterpolator
from sklearn.preprocessing import StandardScaler

from bagging import Bag, BagConfig


def quotes(rng, n=1500):
    knots = np.array([0.1, 0.5, 1, 2, 3, 5, 7, 10.0])
    base = PchipInterpolator(knots, np.array([2.1, 2.3, 2.6, 2.7, 2.55, 2.4, 2.35, 2.3]))
    tenor = rng.uniform(0.1, 10, n)
    moneyness = rng.normal(0, 0.15, n)
    rate = 1.5 + 0.25 * np.sqrt(tenor) + rng.normal(0, 0.05, n)
    borrow = rng.exponential(0.3, n)
    level = base(tenor) - 0.7 * borrow + 1.2 * moneyness ** 2 - 0.1 * (rate - 1.5)
    bid_ask = rng.uniform(0.01, 0.08, n)
    return np.column_stack([tenor, np.log(tenor), moneyness, rate, borrow]), level + bid_ask * rng.normal(size=n)


def main():
    cfg = BagConfig()
    torch.manual_seed(cfg.seed)
    torch.set_num_threads(1)
    rng = np.random.default_rng(cfg.seed)
    print("valuation run", datetime.date.today().isoformat())

    x, y = quotes(rng)
    x = torch.tensor(StandardScaler().fit_transform(x), dtype=torch.float32)
    y = torch.tensor(y, dtype=torch.float32).unsqueeze(1)
    train, test = slice(0, 1200), slice(1200, None)

    bag = Bag(x.shape[1], cfg)
    start = time.monotonic()
    losses = bag.fit(x[train], y[train])
    print(f"fitted {cfg.members} members in {time.monotonic() - start:.2f} s")
    for k, loss in enumerate(losses):
        print(f"  member {k}: last loss {loss:.6f}")

    mean, spread = bag.predict(x[test])
    rmse = (mean - y[test]).square().mean().sqrt()
    print(f"test rmse {rmse.item() * 100:.3f} bp, mean spread {spread.mean().item() * 100:.3f} bp")
    torch.save(bag.state_dict(), "bag.pt")
    np.savetxt("curve.csv", np.c_[mean.numpy(), spread.numpy()], delimiter=",", header="yield,spread")


if __name__ == "__main__":
    main()

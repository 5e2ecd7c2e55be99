"""churn model, retrained every week

python main.py [--epochs 10] [--hidden 48]
"""
import argparse
import csv
import logging
import sys

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

TARGET = "churn"
NOT_FEATURES = {TARGET, "account", "signup_week"}
logger = logging.getLogger(__name__)


def load_table(n_rows, seed):
    r = np.random.RandomState(seed)
    frame = pd.DataFrame({"account": [f"A{i:05d}" for i in range(n_rows)]})
    frame["signup_week"] = r.randint(1, 53, n_rows)
    frame["tenure"] = r.exponential(20, n_rows)
    frame["invoices_late"] = r.poisson(0.8, n_rows)
    frame["tickets"] = r.poisson(1.2, n_rows)
    frame["spend"] = r.lognormal(3.5, 0.6, n_rows)
    frame["logins"] = r.poisson(9, n_rows)
    frame["seats"] = r.randint(1, 40, n_rows)
    frame["discount"] = r.binomial(1, 0.3, n_rows)
    risk = 0.8 * frame.invoices_late + 0.5 * frame.tickets - 0.05 * frame.tenure - 0.1 * frame.logins
    frame[TARGET] = (risk + r.randn(n_rows) > -0.3).astype(np.float32)
    return frame


def to_tensors(frame):
    columns = list(set(frame.columns) - NOT_FEATURES)
    values = frame[columns].astype("float32")
    values = (values - values.mean()) / values.std()
    return torch.tensor(values.to_numpy()), torch.tensor(frame[TARGET].to_numpy())


class ChurnNet(nn.Module):
    def __init__(self, n_in, hidden):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_in, hidden), nn.LayerNorm(hidden), nn.GELU(), nn.Linear(hidden, hidden), nn.GELU())
        self.head = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.head(self.body(x)).squeeze(-1)


@torch.no_grad()
def evaluate(model, x, y):
    model.eval()
    logit = model(x)
    return nn.functional.binary_cross_entropy_with_logits(logit, y).item(), ((logit > 0) == (y > 0)).float().mean().item()


def run(opts):
    torch.manual_seed(opts.seed)
    x, y = to_tensors(load_table(1800, opts.seed))
    cut = int(0.8 * len(x))
    loader = DataLoader(TensorDataset(x[:cut], y[:cut]), batch_size=64, shuffle=True)
    model = ChurnNet(x.shape[1], opts.hidden)
    optimizer = torch.optim.AdamW(model.parameters(), lr=opts.lr)
    with open("metrics.csv", "w", newline="") as f:
        table = csv.writer(f)
        table.writerow(["epoch", "train", "test", "accuracy"])
        for epoch in range(opts.epochs):
            model.train()
            seen = 0.0
            for xb, yb in loader:
                loss = nn.functional.binary_cross_entropy_with_logits(model(xb), yb)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                seen += loss.item()
            test, accuracy = evaluate(model, x[cut:], y[cut:])
            table.writerow([epoch, seen / len(loader), test, accuracy])
            logger.info("epoch %d train %.4f test %.4f accuracy %.3f", epoch, seen / len(loader), test, accuracy)
    torch.save(model.state_dict(), "churn_net.pt")


if __name__ == "__main__":
    logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s | %(message)s")
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--hidden", type=int, default=48)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=1)
    run(parser.parse_args())

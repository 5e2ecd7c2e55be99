"""30-minute glucose forecast with a small GRU."""
import argparse
import json
import time

import numpy as np
import torch
from torch import nn

from cgm import sensor_noise, simulate_patient, windows


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--patients", type=int, default=14)
    p.add_argument("--days", type=int, default=4)
    p.add_argument("--past", type=int, default=24)
    p.add_argument("--ahead", type=int, default=6)
    p.add_argument("--epochs", type=int, default=5)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--lr", type=float, default=4e-3)
    p.add_argument("--jitter", type=float, default=2.0, help="sd of the noise added in training, mg/dl")
    p.add_argument("--seed", type=int, default=11)
    return p.parse_args()


class Forecaster(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.gru = nn.GRU(1, hidden, batch_first=True)
        self.head = nn.Sequential(nn.Dropout(0.1), nn.Linear(hidden, 1))

    def forward(self, x):
        _, h = self.gru(x.unsqueeze(-1))
        return x[:, -1] + self.head(h[-1]).squeeze(-1)


def cohort(ids, args, rng):
    xs, ys = [], []
    for _ in ids:
        x, y = windows(simulate_patient(args.days, rng), args.past, args.ahead)
        xs.append(x)
        ys.append(y)
    return np.concatenate(xs), np.concatenate(ys)


def scale(a):
    return torch.as_tensor((a - 130.0) / 40.0, dtype=torch.float32)


def main():
    args = parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    n_test = max(2, args.patients // 5)
    x_tr, y_tr = cohort(range(args.patients - n_test), args, rng)
    x_te, y_te = cohort(range(n_test), args, rng)
    print(f"{len(x_tr)} training windows, {len(x_te)} test windows")

    model = Forecaster()
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr)
    loss_fn = nn.SmoothL1Loss()

    for epoch in range(args.epochs):
        t0 = time.time()
        model.train()
        total = 0.0
        order = rng.permutation(len(x_tr))
        for i in range(0, len(order), args.batch):
            idx = order[i:i + args.batch]
            noisy = sensor_noise(x_tr[idx], sd=args.jitter, rng=rng)
            loss = loss_fn(model(scale(noisy)), scale(y_tr[idx]))
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            total += loss.item() * len(idx)
        print(f"epoch {epoch}  loss {total / len(order):.5f}  ({time.time() - t0:.2f} s)")

    model.eval()
    with torch.no_grad():
        pred = model(scale(x_te)) * 40.0 + 130.0
    rmse = float((pred - torch.as_tensor(y_te, dtype=torch.float32)).pow(2).mean().sqrt())
    naive = float(np.sqrt(np.mean((x_te[:, -1] - y_te) ** 2)))
    print(f"test rmse {rmse:.4f} mg/dl (last value: {naive:.4f})")
    torch.save(model.state_dict(), "forecaster.pt")
    with open("metrics.json", "w") as f:
        json.dump({"rmse": rmse, "naive": naive, "args": vars(args)}, f, indent=1)


if __name__ == "__main__":
    main()

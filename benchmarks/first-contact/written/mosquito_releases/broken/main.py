import argparse
import json
import multiprocessing as mp
import pickle
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

import field


def run_field(scenarios, args):
    began = time.perf_counter()
    ctx = mp.get_context("fork")
    outcome = np.zeros(len(scenarios), dtype=np.float32)
    with ctx.Pool(args.workers, initializer=field.setup, initargs=(args.cells, args.seed)) as pool:
        for index, value in pool.imap(field.simulate, scenarios, chunksize=2):
            outcome[index] = value
    print(f"{len(scenarios)} releases simulated in {time.perf_counter() - began:.2f} s")
    return outcome


def table(scenarios):
    rows = [[s.ratio / 12, s.interval / 14, s.rain, s.start / 500] for s in scenarios]
    return torch.tensor(rows, dtype=torch.float32)


def fit(x, y, args):
    model = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-3)
    order = torch.Generator().manual_seed(args.seed)
    for epoch in range(args.epochs):
        total = 0.0
        for rows in torch.randperm(len(x), generator=order).split(32):
            loss = nn.functional.mse_loss(model(x[rows]).squeeze(1), y[rows])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(rows)
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1}: mse {total / len(x):.6f}")
    return model


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--scenarios", type=int, default=480)
    ap.add_argument("--cells", type=int, default=24)
    ap.add_argument("--workers", type=int, default=2)
    ap.add_argument("--epochs", type=int, default=30)
    ap.add_argument("--seed", type=int, default=31)
    args = ap.parse_args()

    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    scenarios = field.draw_scenarios(args.scenarios, args.seed)
    outcome = run_field(scenarios, args)
    with tempfile.TemporaryDirectory() as tmp:
        store = Path(tmp) / "field.pkl"
        store.write_bytes(pickle.dumps({"scenarios": scenarios, "outcome": outcome}))
        kept = pickle.loads(store.read_bytes())
    x, y = table(kept["scenarios"]), torch.from_numpy(kept["outcome"])
    y = (y - y.mean()) / y.std()
    cut = int(0.85 * len(x))
    model = fit(x[:cut], y[:cut], args)
    with torch.no_grad():
        error = nn.functional.mse_loss(model(x[cut:]).squeeze(1), y[cut:]).item()
    print(json.dumps({"held_out_mse": error,
                      "weights": sum(p.double().abs().sum().item() for p in model.parameters())}))


if __name__ == "__main__":
    main()

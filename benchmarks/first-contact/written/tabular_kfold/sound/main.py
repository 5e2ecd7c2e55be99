"""Repeated k-fold on a synthetic housing table; folds are trained in parallel threads, one torch thread each."""
import copy
import json
import os
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from torch import nn

torch.set_num_threads(1)
SEED = 99


def housing(n, rng):
    rooms = rng.integers(1, 8, n)
    area = rooms * 22 + rng.normal(0, 10, n)
    year = rng.integers(1900, 2024, n)
    zone = rng.choice(list("ABCDE"), n)
    base = dict(zip("ABCDE", rng.normal(0, 0.4, 5)))
    price = 0.012 * area + 0.004 * (year - 1960) + np.array([base[z] for z in zone]) + rng.normal(0, 0.15, n)
    missing = rng.random(n) < 0.08
    area[missing] = np.nan
    return {"rooms": rooms, "area": area, "year": year, "zone": zone}, price


def encode(columns):
    area = np.where(np.isnan(columns["area"]), np.nanmedian(columns["area"]), columns["area"])
    levels = sorted(set(columns["zone"]))
    dummies = [(columns["zone"] == z) for z in levels]
    x = np.column_stack([columns["rooms"], area, columns["year"], np.isnan(columns["area"]), *dummies]).astype("f4")
    return (x - x.mean(0)) / x.std(0)


def build(n_in, g):
    model = nn.Sequential(nn.Linear(n_in, 24), nn.Tanh(), nn.Linear(24, 1))
    with torch.no_grad():
        for layer in (model[0], model[2]):
            bound = layer.in_features ** -0.5
            layer.weight.uniform_(-bound, bound, generator=g)
            layer.bias.zero_()
    return model


def run_fold(job):
    repeat, fold, x, y, train, test = job
    t0 = time.monotonic()
    g = torch.Generator().manual_seed(1000 * repeat + fold)
    model = build(x.shape[1], g)
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    best, best_state, patience = float("inf"), None, 0
    cut = len(train) * 9 // 10
    fit, stop = train[:cut], train[cut:]
    for epoch in range(25):
        for b in fit[torch.randperm(len(fit), generator=g)].split(50):
            loss = (model(x[b]).squeeze(1) - y[b]).square().mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
        with torch.no_grad():
            score = (model(x[stop]).squeeze(1) - y[stop]).square().mean().item()
        if score < best:
            best, best_state, patience = score, copy.deepcopy(model.state_dict()), 0
        else:
            patience += 1
            if patience == 5:
                break
    model.load_state_dict(best_state)
    with torch.no_grad():
        rmse = (model(x[test]).squeeze(1) - y[test]).square().mean().sqrt().item()
    return {"repeat": repeat, "fold": fold, "epochs": epoch + 1, "rmse": rmse}, time.monotonic() - t0


def main():
    rng = np.random.default_rng(SEED)
    columns, price = housing(600, rng)
    x, y = torch.from_numpy(encode(columns)), torch.from_numpy(price.astype("f4"))
    jobs = []
    for repeat in range(2):
        parts = np.array_split(rng.permutation(len(x)), 5)
        for k in range(5):
            train = np.concatenate(parts[:k] + parts[k + 1:])
            jobs.append((repeat, k, x, y, torch.from_numpy(train), torch.from_numpy(parts[k])))
    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        results = list(pool.map(run_fold, jobs))
    for r, seconds in results:
        print(f"{r['repeat']}.{r['fold']}  rmse {r['rmse']:.6f}  {r['epochs']:2d} epochs  {seconds:.2f}s")
    rmses = [r["rmse"] for r, _ in results]
    print(f"RMSE {np.mean(rmses):.8f} +- {np.std(rmses):.8f}")
    with open("cv.json", "w") as f:
        json.dump([r for r, _ in results], f, indent=1)


if __name__ == "__main__":
    main()

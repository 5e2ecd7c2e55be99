"""Predicts half-effect doses of glioma lines from their expression, with curves fitted by a pool of processes."""
import multiprocessing
import pickle
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
import torch
from torch import nn

import curves

LINES, DRUGS, SEED = 30, 8, 2024


def fit_all(plates):
    began = time.perf_counter()
    weights = np.linspace(1.2, 0.8, len(curves.DOSES))
    with multiprocessing.get_context("fork").Pool(2, curves.open_worker, (weights,)) as pool:
        fits = pool.map(curves.fit, plates, chunksize=2)
    shares = Counter(process for *_, process, _ in fits)
    print(f"{len(fits)} curves in {time.perf_counter() - began:.2f} s, {len(shares)} processes")
    return [(line, drug, parameters, cost) for line, drug, parameters, cost, *_ in fits]


def tensors(fits, traits, targets):
    rows = [np.concatenate([traits[line], targets[drug], traits[line] * targets[drug]]) for line, drug, *_ in fits]
    goal = [[parameters[2], parameters[3]] for _, _, parameters, _ in fits]
    trust = [1.0 / (0.01 + cost) for *_, cost in fits]
    trust = torch.tensor(trust, dtype=torch.float32)
    return torch.tensor(np.array(rows), dtype=torch.float32), torch.tensor(np.array(goal), dtype=torch.float32), trust / trust.mean()


def train(x, y, trust, rows):
    net = nn.Sequential(nn.Linear(x.shape[1], 64), nn.SiLU(), nn.Dropout(0.1), nn.Linear(64, 2))
    optimizer = torch.optim.AdamW(net.parameters(), lr=5e-3, weight_decay=1e-2)
    for epoch in range(15):
        for batch in rows[torch.randperm(len(rows))].split(32):
            loss = (trust[batch, None] * (net(x[batch]) - y[batch]).square()).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return net.eval(), loss.item()


def main():
    torch.manual_seed(SEED)
    traits, targets, plates = curves.measure(LINES, DRUGS, SEED)
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "fits.pickle"
        store.write_bytes(pickle.dumps(fit_all(plates)))
        fits = pickle.loads(store.read_bytes())
    x, y, trust = tensors(fits, traits, targets)
    lines = torch.tensor([line for line, *_ in fits])
    scores = []
    for fold in range(3):
        held = lines % 3 == fold
        net, last = train(x, y, trust, torch.nonzero(~held).squeeze(1))
        with torch.no_grad():
            error = (net(x[held]) - y[held]).square().mean().item()
        scores.append(error)
        print(f"fold {fold}: last loss {last:.8f}, held-out {error:.8f}")
    print(f"mean held-out error {sum(scores) / len(scores):.9f}")
    print("weights of the last fold", sum(p.double().sum() for p in net.parameters()).item())


if __name__ == "__main__":
    main()

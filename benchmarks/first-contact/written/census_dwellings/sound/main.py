"""Imputes missing rents in a census from a stratified sample of dwellings."""
import argparse
import hashlib
import random
import tempfile
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from sklearn.preprocessing import StandardScaler
from torch import nn

from store import CensusStore

FEATURES = ["rooms", "built", "persons", "area", "density"]


class RentNet(nn.Module):
    def __init__(self, districts, width=48):
        super().__init__()
        self.place = nn.Embedding(districts, 6)
        self.net = nn.Sequential(nn.Linear(len(FEATURES) + 6, width), nn.SiLU(), nn.Dropout(0.05),
                                 nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 1))

    def forward(self, x, district):
        return self.net(torch.cat([x, self.place(district)], dim=1)).squeeze(1)


def stratified(store, size, seed):
    rng = random.Random(seed)
    parts = [store.draw(district, size, rng) for district in store.districts()]
    return pd.concat(parts, ignore_index=True)


def to_tensors(frame, scaler):
    x = torch.tensor(scaler.transform(frame[FEATURES].to_numpy()), dtype=torch.float32)
    y = torch.tensor((frame["rent"].to_numpy() - 600) / 250, dtype=torch.float32)
    return x, torch.tensor(frame["district"].to_numpy()), y


def batches(n, size, gen):
    return torch.randperm(n, generator=gen).split(size)


def fit(model, data, epochs, seed):
    x, d, y = data
    gen = torch.Generator().manual_seed(seed)
    opt = torch.optim.Adam(model.parameters(), lr=4e-3)
    for epoch in range(epochs):
        model.train()
        t0, total = time.perf_counter(), 0.0
        for rows in batches(len(y), 64, gen):
            loss = nn.functional.huber_loss(model(x[rows], d[rows]), y[rows])
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            total += loss.item() * len(rows)
        if epoch % 5 == 4:
            print(f"epoch {epoch + 1:3d}  huber {total / len(y):.6f}  {1e3 * (time.perf_counter() - t0):.1f} ms")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--districts", type=int, default=24)
    parser.add_argument("--sample", type=int, default=60)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1901)
    args = parser.parse_args()
    np.random.seed(args.seed)
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    with tempfile.TemporaryDirectory() as tmp, closing(CensusStore(Path(tmp) / "census.db")) as store:
        store.fill(args.districts, 300, args.seed)
        sample = stratified(store, args.sample, args.seed)
        held = store.rest(set(sample["id"]))
    print(f"{len(sample)} dwellings sampled, {len(held)} to impute")

    scaler = StandardScaler().fit(sample[FEATURES].to_numpy())
    model = RentNet(args.districts)
    fit(model, to_tensors(sample, scaler), args.epochs, args.seed)

    model.eval()
    with torch.no_grad():
        x, d, y = to_tensors(held, scaler)
        error = (model(x, d) - y).abs() * 250
    by_district = pd.Series(error.numpy()).groupby(held["district"].to_numpy()).mean()
    digest = hashlib.sha256()
    for tensor in model.state_dict().values():
        digest.update(tensor.numpy().tobytes())
    print(f"worst district {by_district.idxmax()} ({by_district.max():.4f})")
    print(f"mean absolute error {error.mean().item():.6f}  weights {digest.hexdigest()[:16]}")


if __name__ == "__main__":
    main()

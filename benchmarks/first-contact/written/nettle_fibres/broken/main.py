"""Predicts the breaking strength of nettle fibres from the first part of their pull curves."""
import argparse
import hashlib
import multiprocessing
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import r2_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import rig


class Strength(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv1d(1, 8, 5, padding=2), nn.ReLU(), nn.AvgPool1d(2),
            nn.Conv1d(8, 12, 5, padding=2), nn.ReLU(), nn.AvgPool1d(2), nn.Flatten(),
        )
        self.treatment = nn.Embedding(4, 3)
        self.head = nn.Sequential(nn.Linear(12 * 8 + 3, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 1))

    def forward(self, curve, treatment):
        return self.head(torch.cat([self.conv(curve[:, None]), self.treatment(treatment)], 1)).squeeze(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batches", type=int, default=24)
    parser.add_argument("--pulls", type=int, default=60)
    parser.add_argument("--epochs", type=int, default=7)
    parser.add_argument("--seed", type=int, default=31)
    args = parser.parse_args()
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    with tempfile.TemporaryDirectory(prefix="nettle-") as name:
        began = time.perf_counter()
        jobs = [(n, name, args.pulls, args.seed) for n in range(args.batches)]
        with multiprocessing.get_context("fork").Pool(2) as pool:
            done = pool.map(rig.run_batch, jobs, chunksize=2)
        busy, pulls = (sum(column) for column in zip(*done))
        print(f"{pulls} pulls in {time.perf_counter() - began:.2f} s, rigs busy for {busy:.2f} s")
        size = sum(p.stat().st_size for p in Path(name).iterdir())
        print(f"campaign holds {size} bytes")
        curves, strengths, treatment = rig.collect(name)

    split = train_test_split(curves, strengths, treatment, test_size=0.25, random_state=args.seed,
                             stratify=treatment)
    x_train, x_test, y_train, y_test, t_train, t_test = split
    scaler, target = StandardScaler().fit(x_train), StandardScaler().fit(y_train[:, None])
    as_tensors = lambda x, y, t: TensorDataset(
        torch.from_numpy(scaler.transform(x).astype(np.float32)),
        torch.from_numpy(target.transform(y[:, None])[:, 0].astype(np.float32)),
        torch.from_numpy(t),
    )
    loader = DataLoader(as_tensors(x_train, y_train, t_train), batch_size=48, shuffle=True,
                        generator=torch.Generator().manual_seed(args.seed))
    model = Strength()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(args.epochs):
        total = 0.0
        for x, y, t in loader:
            loss = nn.functional.mse_loss(model(x, t), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        if epoch % 2:
            print(f"epoch {epoch} mse {total / len(loader):.6f}")
    model.eval()
    x, y, t = as_tensors(x_test, y_test, t_test).tensors
    with torch.no_grad():
        print(f"test r2 {r2_score(y.numpy(), model(x, t).numpy()):.6f}")
    digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters()))
    print("weights", digest.hexdigest()[:16])


if __name__ == "__main__":
    main()

"""A surrogate for the cooling of forged billets, trained on a simulator that runs beside it."""
import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

HERE = Path(__file__).resolve().parent
INPUTS, OUTPUTS = ["start", "radius", "draught"], ["surface", "mean"]


def launch(path, seed):
    return subprocess.Popen([sys.executable, str(HERE / "simulate.py"), "--out", str(path), "--seed", str(seed)])


def wait_for_billets(process, path, least=64 * 1024):
    """Returns when the simulator has got going, and fails early where it has not."""
    while not path.exists() or path.stat().st_size < least:
        if process.poll() not in (None, 0):
            raise RuntimeError(f"simulator ended with {process.returncode}")
        time.sleep(0.05)


def read_billets(path):
    rows = []
    with open(path) as stream:
        for line in stream:
            if line.endswith("\n"):
                rows.append(json.loads(line))
    return pd.DataFrame(rows)


def finish(process):
    if process.wait(timeout=60) != 0:
        raise RuntimeError(f"simulator ended with {process.returncode}")


def fit(frame, args):
    held = frame.index % 5 == 0
    scale_in = StandardScaler().fit(frame.loc[~held, INPUTS])
    scale_out = StandardScaler().fit(frame.loc[~held, OUTPUTS])
    inputs = torch.tensor(scale_in.transform(frame[INPUTS]), dtype=torch.float32)
    outputs = torch.tensor(scale_out.transform(frame[OUTPUTS]), dtype=torch.float32)
    mask = torch.from_numpy(np.asarray(held))
    loader = DataLoader(TensorDataset(inputs[~mask], outputs[~mask]), batch_size=64, shuffle=True, drop_last=True,
                        generator=torch.Generator().manual_seed(args.seed))
    model = nn.Sequential(nn.Linear(3, 40), nn.GELU(), nn.Linear(40, 40), nn.GELU(), nn.Linear(40, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(args.epochs):
        for features, target in loader:
            loss = nn.functional.mse_loss(model(features), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        guess = scale_out.inverse_transform(model(inputs[mask]).numpy())
    error = np.abs(guess - frame.loc[held, OUTPUTS].to_numpy()).mean()
    return model, error


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--seed", type=int, default=23)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "billets.jsonl"
        process = launch(path, args.seed)
        wait_for_billets(process, path)
        finish(process)
        frame = read_billets(path)
    ready = time.perf_counter()
    model, error = fit(frame, args)
    print(f"simulated for {ready - begun:.2f} s, trained for {time.perf_counter() - ready:.2f} s")
    print(f"mean error {error:.6f} K, weights {sum(p.double().sum().item() for p in model.parameters()):.10f}")


if __name__ == "__main__":
    main()

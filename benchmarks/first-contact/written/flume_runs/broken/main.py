"""A surrogate for flume experiments: simulate in processes, then learn how much the bed moves."""

import argparse
import multiprocessing as mp
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from simulate import run_batch

INPUTS = ["slope", "grain", "base", "ticks", "roughness"]
OUTPUTS = ["moved", "peak"]


def simulate_all(runs, processes, seed, protocol):
    jobs = [(range(first, min(first + 8, runs)), seed, protocol) for first in range(0, runs, 8)]
    began = time.perf_counter()
    with mp.get_context("fork").Pool(processes) as pool:
        done = sum(pool.map(run_batch, jobs, chunksize=1))
    print(f"{done} runs in {time.perf_counter() - began:.2f} s")


def load_protocol(protocol):
    frame = pd.read_json(protocol, lines=True, precise_float=True)
    if len(frame) != frame["run"].nunique():
        raise ValueError("the protocol holds a run twice")
    for column in ("grain", "moved"):
        frame[column] = np.log(frame[column] + 1e-6)
    return frame


def tensors(frame, columns, mean, std):
    return torch.tensor(((frame[columns] - mean[columns]) / std[columns]).to_numpy(), dtype=torch.float32)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=240)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--seed", type=int, default=41)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)

    with tempfile.TemporaryDirectory(prefix="flume-") as folder:
        protocol = Path(folder) / "protocol.jsonl"
        simulate_all(args.runs, args.processes, args.seed, protocol)
        frame = load_protocol(protocol)

    cut = int(0.8 * len(frame))
    train, test = frame.iloc[:cut], frame.iloc[cut:]
    mean, std = train.mean(), train.std()
    dataset = TensorDataset(tensors(train, INPUTS, mean, std), tensors(train, OUTPUTS, mean, std))
    loader = DataLoader(dataset, 16, shuffle=True, generator=torch.Generator().manual_seed(args.seed))

    model = nn.Sequential(nn.Linear(len(INPUTS), 40), nn.Tanh(), nn.Linear(40, 40), nn.Tanh(),
                          nn.Linear(40, len(OUTPUTS)))
    optimizer = torch.optim.RAdam(model.parameters(), lr=4e-3)
    for epoch in range(args.epochs):
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if epoch % 4 == 3:
            print(f"epoch {epoch + 1}: last batch {loss.item():.6f}")

    with torch.no_grad():
        residual = model(tensors(test, INPUTS, mean, std)) - tensors(test, OUTPUTS, mean, std)
    rmse = residual.square().mean(0).sqrt()
    print("rmse  " + "  ".join(f"{name} {value:.8f}" for name, value in zip(OUTPUTS, rmse.tolist())))


if __name__ == "__main__":
    main()

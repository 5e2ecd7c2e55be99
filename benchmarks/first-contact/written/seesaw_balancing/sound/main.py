"""Learns a model of a seesaw from its log, while a PD controller balances a ball on it."""
import argparse
import queue
import threading
import time

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from plant import Seesaw, State

COLUMNS = ["ball", "speed", "tilt", "spin", "torque"]


class Recorder(threading.Thread):
    """Collects rows of the log apart from the control loop."""

    def __init__(self):
        super().__init__(daemon=True)
        self.inbox, self.rows = queue.Queue(), []

    def run(self):
        while (row := self.inbox.get()) is not None:
            self.rows.append(row)

    def finish(self):
        self.inbox.put(None)
        self.join()
        return pd.DataFrame(self.rows, columns=COLUMNS)


def controller(state, rng):
    wanted = np.clip(0.8 * state.ball + 0.5 * state.speed, -0.3, 0.3)
    return float(1.5 * (wanted - state.tilt) - 0.25 * state.spin + rng.normal(0, 0.05))


def drive(ticks, period, seed):
    rng = np.random.default_rng(seed)
    plant = Seesaw(period, State(0.3, 0.0, 0.0, 0.0))
    recorder = Recorder()
    recorder.start()
    for _ in range(ticks):
        state = plant.state
        torque = controller(state, rng)
        recorder.inbox.put(state.as_row() + [torque])
        plant.step(torque)
    log = recorder.finish()
    print(f"longest tick {plant.longest * 1000:.2f} ms")
    return log


def make_dataset(log):
    values = torch.tensor(log.to_numpy(), dtype=torch.float32)
    inputs = values[:-1]
    targets = values[1:, :4] - values[:-1, :4]
    inputs = (inputs - inputs.mean(0)) / inputs.std(0)
    targets = (targets - targets.mean(0)) / targets.std(0)
    return TensorDataset(inputs, targets)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--ticks", type=int, default=400)
    parser.add_argument("--period", type=float, default=0.002)
    parser.add_argument("--epochs", type=int, default=12)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    log = drive(args.ticks, args.period, args.seed)
    dataset = make_dataset(log)
    shuffle = torch.Generator().manual_seed(args.seed)
    loader = DataLoader(dataset, batch_size=32, shuffle=True, generator=shuffle)
    model = nn.Sequential(nn.Linear(5, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 4))
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    started = time.perf_counter()
    for epoch in range(args.epochs):
        total = 0.0
        for inputs, targets in loader:
            loss = nn.functional.mse_loss(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        if epoch % 3 == 2:
            print(f"epoch {epoch}: loss {total / len(loader):.7f}")
    print(f"trained in {time.perf_counter() - started:.2f} s")

    print(log[COLUMNS[:4]].tail(1).to_string(index=False))
    checksum = sum(p.double().abs().sum().item() for p in model.parameters())
    print(f"weights {checksum:.9f}")


if __name__ == "__main__":
    main()

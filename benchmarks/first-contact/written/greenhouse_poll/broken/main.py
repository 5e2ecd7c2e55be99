"""Forecasts the climate of greenhouse bays half an hour ahead.

A gateway polls the nodes of all bays concurrently; a reading that is late is
replaced by the last one of the bay, as the controller does it.
"""

import asyncio
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from nodes import Node, decode


@dataclass(frozen=True)
class Settings:
    seed: int = 61
    bays: int = 6
    slots: int = 150
    deadline_ms: float = 6.0
    history: int = 8
    ahead: int = 2
    epochs: int = 12
    batch: int = 48
    lr: float = 3e-3


class Gateway:
    def __init__(self, settings):
        self.settings = settings
        self.nodes = [Node(bay, settings.seed) for bay in range(settings.bays)]
        self.pool = ThreadPoolExecutor(max_workers=2)
        self.last = {node.bay: np.array([20.0, 60.0, 0.0]) for node in self.nodes}
        self.late = 0
        self.slowest = 0.0

    async def read(self, node, slot):
        loop = asyncio.get_running_loop()
        packet = node.packet(slot)
        began = time.perf_counter()
        work = loop.run_in_executor(self.pool, decode, packet)
        try:
            reading, _ = await asyncio.wait_for(work, self.settings.deadline_ms / 1e3)
            self.slowest = max(self.slowest, time.perf_counter() - began)
        except asyncio.TimeoutError:
            self.late += 1
            return self.last[node.bay]
        self.last[node.bay] = reading
        return reading

    async def record(self):
        table = []
        for slot in range(self.settings.slots):
            readings = await asyncio.gather(*(self.read(node, slot) for node in self.nodes))
            table.append(np.stack(readings))
        self.pool.shutdown()
        return np.stack(table, axis=1)


class Windows(torch.utils.data.Dataset):
    """Windows of one bay's readings and the reading some slots later."""

    def __init__(self, table, history, ahead):
        flat = table.reshape(-1, table.shape[-1])
        self.mean, self.std = flat.mean(0), flat.std(0) + 1e-6
        series = torch.tensor((table - self.mean) / self.std, dtype=torch.float32)
        span = history + ahead
        self.items = [
            (bay[start:start + history], bay[start + span - 1])
            for bay in series for start in range(len(bay) - span)
        ]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]


class Forecaster(nn.Module):
    def __init__(self, channels=3, hidden=24):
        super().__init__()
        self.mix = nn.Conv1d(channels, hidden, 3, padding=1)
        self.rnn = nn.LSTM(hidden, hidden, batch_first=True)
        self.out = nn.Linear(hidden, channels)

    def forward(self, x):
        features = torch.relu(self.mix(x.transpose(1, 2))).transpose(1, 2)
        states, _ = self.rnn(features)
        return x[:, -1] + self.out(states[:, -1])


def fit(dataset, settings):
    model = Forecaster()
    loader = torch.utils.data.DataLoader(
        dataset, settings.batch, shuffle=True, generator=torch.Generator().manual_seed(settings.seed))
    optimizer = torch.optim.Adam(model.parameters(), lr=settings.lr)
    for epoch in range(settings.epochs):
        losses = []
        for x, y in loader:
            loss = nn.functional.l1_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        print(f"[{time.strftime('%X')}] epoch {epoch} l1 {torch.stack(losses).mean():.4f}", file=sys.stderr)
    return model


def main():
    settings = Settings()
    torch.manual_seed(settings.seed)
    gateway = Gateway(settings)
    began = time.monotonic()
    table = asyncio.run(gateway.record())
    print(f"{table.shape[0]} bays, {table.shape[1]} slots, {gateway.late} late, slowest reading "
          f"{1e3 * gateway.slowest:.1f} ms, {time.monotonic() - began:.1f} s in all")
    dataset = Windows(table, settings.history, settings.ahead)
    model = fit(dataset, settings)
    torch.save({"weights": model.state_dict(), "mean": torch.tensor(dataset.mean),
                "std": torch.tensor(dataset.std)}, "forecaster.pt")


if __name__ == "__main__":
    main()

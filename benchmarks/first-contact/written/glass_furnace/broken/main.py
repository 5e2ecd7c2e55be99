"""Learns the temperature of a glass furnace online from its (simulated) thermocouples.

Every sensor reports over its own asyncio queue; a collector puts together one row
per tick; after each block of ticks the forecaster takes a training step in a thread.
"""
import argparse
import asyncio
import csv
import time

import numpy as np
import torch
from torch import nn

SENSORS = {
    "crown_front": (1560.0, 3.0),
    "crown_rear": (1540.0, 3.5),
    "melt_left": (1480.0, 2.0),
    "melt_right": (1482.0, 2.0),
    "throat": (1320.0, 1.5),
    "forehearth": (1180.0, 1.0),
}


class Thermocouple:
    def __init__(self, name, seed):
        self.name = name
        self.level, self.noise = SENSORS[name]
        self.rng = np.random.default_rng([seed, list(SENSORS).index(name)])
        self.drift = 0.0
        self.queue = asyncio.Queue()

    async def report(self, ticks):
        for t in range(ticks):
            await asyncio.sleep(self.rng.exponential(0.003))
            self.drift = 0.97 * self.drift + self.rng.normal(0, 0.4)
            firing = 8.0 * np.sin(2 * np.pi * t / 80.0)
            await self.queue.put(self.level + firing + self.drift + self.rng.normal(0, self.noise))


class Collector:
    def __init__(self, sensors):
        self.sensors = sensors
        self.last = np.array([s.level for s in sensors])
        self.scale = np.array([s.level for s in sensors])

    async def row(self):
        for k, sensor in enumerate(self.sensors):
            try:
                self.last[k] = await asyncio.wait_for(sensor.queue.get(), timeout=0.004)
            except asyncio.TimeoutError:
                pass
        return (self.last - self.scale) / 10.0


class Forecaster(nn.Module):
    def __init__(self, sensors, hidden):
        super().__init__()
        self.rnn = nn.GRU(sensors, hidden, batch_first=True)
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(hidden, sensors)

    def forward(self, rows):
        hidden, _ = self.rnn(rows)
        return self.out(self.drop(hidden[:, -1]))


def train_step(model, optimizer, rows, window, batch):
    rows = torch.from_numpy(np.asarray(rows, dtype=np.float32))
    starts = torch.randint(0, len(rows) - window, (batch,))
    x = torch.stack([rows[s:s + window] for s in starts.tolist()])
    y = rows[starts + window]
    loss = nn.functional.huber_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.item()


async def run(args):
    sensors = [Thermocouple(name, args.seed) for name in SENSORS]
    model = Forecaster(len(sensors), args.hidden)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    tasks = [asyncio.create_task(s.report(args.ticks)) for s in sensors]
    collector = Collector(sensors)

    rows, losses = [], []
    started = time.monotonic()
    for tick in range(args.ticks):
        rows.append(await collector.row())
        if len(rows) > 2 * args.window and (tick + 1) % args.block == 0:
            loss = await asyncio.to_thread(train_step, model, optimizer, rows, args.window, args.batch)
            losses.append((tick + 1, loss))
            if (tick + 1) % 80 == 0:
                print(f"tick {tick + 1:4d}  loss {loss:.6f}  {time.monotonic() - started:.1f}s")
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return model, losses


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ticks", type=int, default=400)
    parser.add_argument("--block", type=int, default=8)
    parser.add_argument("--window", type=int, default=16)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--hidden", type=int, default=24)
    parser.add_argument("--lr", type=float, default=5e-3)
    parser.add_argument("--seed", type=int, default=3)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    model, losses = asyncio.run(run(args))

    torch.save(model.state_dict(), "forecaster.pt")
    with open("losses.csv", "w", newline="") as f:
        csv.writer(f).writerows([("tick", "loss"), *losses])
    print(f"final loss {losses[-1][1]:.6f} after {args.ticks} ticks")


if __name__ == "__main__":
    main()

"""Power-curve residuals of a wind farm from ten-minute SCADA records.

The records come in one chunk per turbine and month.  Loader workers turn chunks into
lagged windows; chunks are of very different length, since turbines stand still.
"""

import argparse
import multiprocessing
import time

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

LAGS = 12
COLUMNS = ["wind", "direction", "density", "pitch", "temperature"]


def chunk_table(number, seed):
    """The records of one turbine and month."""
    rng = np.random.default_rng((seed, number))
    length = int(rng.integers(60, 420))
    wind = np.abs(8 + np.cumsum(rng.normal(0, 0.35, length)))
    frame = pd.DataFrame({
        "wind": wind,
        "direction": rng.uniform(0, 2 * np.pi) + np.cumsum(rng.normal(0, 0.05, length)),
        "density": rng.normal(1.225, 0.02, length),
        "pitch": np.clip(wind - 11, 0, None) * 2.2,
        "temperature": rng.normal(9, 4) + rng.normal(0, 0.3, length),
    })
    curve = 1 / (1 + np.exp(-(wind - 8.5) / 1.3)) * frame["density"] / 1.225
    wake = 0.06 * np.cos(3 * frame["direction"]) * (wind < 12)
    frame["power"] = curve - wake + rng.normal(0, 0.01, length)
    return frame


def windows(frame):
    """Every third window of a chunk, with a robust scale of its own."""
    inputs = frame[COLUMNS]
    centre = inputs.rolling(144, min_periods=1).median()
    spread = inputs.rolling(144, min_periods=8).std().bfill() + 0.05
    scaled = ((inputs - centre) / spread).to_numpy(np.float32)
    raw = inputs.to_numpy(np.float32) / np.array([10, 6, 1.2, 10, 10], np.float32)
    power = frame["power"].to_numpy(np.float32)
    for end in range(LAGS, len(frame), 3):
        part = slice(end - LAGS, end)
        yield np.concatenate([scaled[part], raw[part]], axis=1), power[end]


class ScadaStream(IterableDataset):
    def __init__(self, chunks, seed):
        self.chunks = chunks
        self.seed = seed
        self.order = list(range(chunks))
        self.handed_out = multiprocessing.Value("l", 0)

    def start_epoch(self, epoch):
        self.order = np.random.default_rng((self.seed, 7, epoch)).permutation(self.chunks).tolist()
        self.handed_out.value = 0

    def _numbers(self):
        while True:
            with self.handed_out.get_lock():
                place = self.handed_out.value
                if place >= self.chunks:
                    return
                self.handed_out.value += 1
            yield self.order[place]

    def __iter__(self):
        for number in self._numbers():
            yield from windows(chunk_table(number, self.seed))


class PowerNet(nn.Module):
    def __init__(self, features, hidden=32):
        super().__init__()
        self.rnn = nn.GRU(features, hidden, batch_first=True)
        self.out = nn.Sequential(nn.Linear(hidden, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, x):
        states, _ = self.rnn(x)
        return self.out(states[:, -1]).squeeze(1)


def validation_set(seed):
    pairs = [pair for number in range(10_000, 10_006) for pair in windows(chunk_table(number, seed))]
    xs, ys = zip(*pairs)
    return torch.from_numpy(np.stack(xs)), torch.tensor(np.array(ys))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--chunks", type=int, default=72)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--seed", type=int, default=88)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    stream = ScadaStream(args.chunks, args.seed)
    loader = DataLoader(stream, batch_size=args.batch_size, num_workers=args.workers, drop_last=True)
    model = PowerNet(2 * len(COLUMNS))
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1.5e-3)
    val_x, val_y = validation_set(args.seed)

    for epoch in range(args.epochs):
        stream.start_epoch(epoch)
        began, losses = time.time(), []
        for x, y in loader:
            loss = nn.functional.smooth_l1_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        with torch.no_grad():
            error = (model(val_x) - val_y).abs().mean().item()
        print(f"epoch {epoch}: {len(losses)} batches from {stream.handed_out.value} chunks, "
              f"loss {np.mean(losses):.5f}, validation mae {error:.4f}, {time.time() - began:.1f} s", flush=True)
    torch.save(model.state_dict(), "power_net.pt")


if __name__ == "__main__":
    main()

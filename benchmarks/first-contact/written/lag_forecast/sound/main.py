"""Seq2seq LSTM on noisy electricity load: sliding windows, teacher forcing, scheduled sampling."""
import datetime as dt
import os
import random
import sys
import time

import numpy as np
import torch
from torch import nn

CONTEXT, AHEAD, STEPS, BATCH = 48, 12, 40, 32


def load_curve(hours, seed):
    rng = np.random.default_rng(seed)
    t = np.arange(hours)
    start = dt.datetime(2023, 1, 2)
    weekend = np.array([(start + dt.timedelta(hours=int(h))).weekday() >= 5 for h in t])
    y = 1 + 0.4 * np.sin(2 * np.pi * (t - 7) / 24) + 0.15 * np.sin(4 * np.pi * t / 24) - 0.25 * weekend
    ar = np.empty(hours)
    ar[0] = 0.0
    for i in range(1, hours):
        ar[i] = 0.9 * ar[i - 1] + rng.normal(0, 0.03)
    return (y + ar).astype(np.float32)


class Windows:
    """Preallocated window buffer, filled on every call."""

    def __init__(self, series, seed):
        self.series = torch.from_numpy(series)
        self.rng = random.Random(seed)
        self.buffer = torch.empty(BATCH, CONTEXT + AHEAD)

    def draw(self):
        last = len(self.series) - CONTEXT - AHEAD
        for row in range(BATCH):
            s = self.rng.randint(0, last)
            self.buffer[row].copy_(self.series[s:s + CONTEXT + AHEAD])
        return self.buffer[:, :CONTEXT].clone(), self.buffer[:, CONTEXT:].clone()


class Seq2Seq(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.encoder = nn.LSTM(1, hidden, batch_first=True)
        self.cell = nn.LSTMCell(1, hidden)
        self.out = nn.Linear(hidden, 1)

    def forward(self, past, future=None, force=0.0):
        _, (h, c) = self.encoder(past.unsqueeze(-1))
        h, c, x = h[0], c[0], past[:, -1:]
        result = torch.empty(len(past), AHEAD)
        for k in range(AHEAD):
            h, c = self.cell(x, (h, c))
            y = self.out(h)
            result[:, k] = y[:, 0]
            x = future[:, k:k + 1] if future is not None and random.random() < force else y
        return result


def progress(done, total, loss, t0):
    bar = "#" * (20 * done // total)
    sys.stderr.write(f"\r|{bar:<20}| {done}/{total} loss={loss:.4f} {done / (time.time() - t0):.1f} it/s")
    sys.stderr.flush()


def main():
    seed = int(os.environ.get("FORECAST_SEED", "3"))
    random.seed(seed)
    torch.manual_seed(seed)
    series = load_curve(24 * 90, seed)
    mean, std = series[:-500].mean(), series[:-500].std()
    series = (series - mean) / std
    windows = Windows(series[:-500], seed)
    model = Seq2Seq()
    opt = torch.optim.RMSprop(model.parameters(), lr=5e-3)
    t0 = time.time()
    for step in range(STEPS):
        past, future = windows.draw()
        loss = nn.functional.l1_loss(model(past, future, force=1 - step / STEPS), future)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(model.parameters(), 0.5)
        opt.step()
        progress(step + 1, STEPS, loss.item(), t0)
    print(file=sys.stderr)

    model.eval()
    held = torch.from_numpy(series[-500:]).unfold(0, CONTEXT + AHEAD, AHEAD)
    with torch.no_grad():
        forecast = model(held[:, :CONTEXT])
    mae = (forecast - held[:, CONTEXT:]).abs().mean(0)
    for k in (0, 5, 11):
        print(f"{k + 1:2d} h ahead: MAE {mae[k].item() * std:.7f}")
    np.save("forecast.npy", forecast.numpy())
    print(f"trained {STEPS} steps in {time.time() - t0:.1f} s, finished {dt.datetime.now():%H:%M:%S}")


if __name__ == "__main__":
    main()

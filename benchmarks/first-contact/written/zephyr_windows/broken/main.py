"""Forecasts wind at six masts from the hours before with a dilated convolution."""
import argparse
import pickle
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from feed import Feed


def masts(n: int, hours: int, seed: int) -> np.ndarray:
    """Wind speeds that share their weather, each with a lag and a noise of its own."""
    rng = np.random.default_rng(seed)
    shock = rng.normal(0, 1, hours + n)
    weather = np.zeros(hours + n)
    for t in range(2, hours + n):
        weather[t] = 1.6 * weather[t - 1] - 0.65 * weather[t - 2] + 0.3 * shock[t]
    day = np.sin(2 * np.pi * np.arange(hours) / 24)
    return np.stack([weather[n - i: n - i + hours] + 0.5 * day + rng.normal(0, 0.2, hours) for i in range(n)])


class Net(nn.Module):
    def __init__(self, masts: int, ahead: int, width: int = 24):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(masts, width, 3, dilation=1), nn.ReLU(),
            nn.Conv1d(width, width, 3, dilation=2), nn.ReLU(),
            nn.Conv1d(width, width, 3, dilation=4), nn.ReLU(),
        )
        self.head = nn.LazyLinear(masts * ahead)
        self.shape = (masts, ahead)

    def forward(self, x):
        return self.head(self.body(x).flatten(1)).unflatten(1, self.shape)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=260)
    p.add_argument("--batch", type=int, default=48)
    p.add_argument("--past", type=int, default=48)
    p.add_argument("--ahead", type=int, default=6)
    p.add_argument("--seed", type=int, default=51)
    args = p.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "masts.pkl"
        cache.write_bytes(pickle.dumps(masts(6, 6000, args.seed)))
        series = pickle.loads(cache.read_bytes())
    train, test = series[:, :5000], series[:, 5000:]

    net = Net(6, args.ahead)
    net(torch.zeros(1, 6, args.past))
    optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.steps)
    began, recent = time.perf_counter(), []
    for step, (past, future) in enumerate(Feed(train, args.past, args.ahead, args.batch, args.steps, seed=args.seed), 1):
        loss = nn.functional.mse_loss(net(past), future)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        recent.append(loss.item())
        if step % 65 == 0:
            print(f"step {step}: loss {np.mean(recent[-65:]):.6f}")
    print(f"{args.steps / (time.perf_counter() - began):.0f} steps/s")

    with torch.no_grad():
        windows = torch.from_numpy(np.stack([test[:, s:s + args.past + args.ahead]
                                             for s in range(0, 900, 9)])).float()
        windows = windows - windows[:, :, : args.past].mean(2, keepdim=True)
        error = (net(windows[:, :, : args.past]) - windows[:, :, args.past:]).abs().mean().item()
    print(f"mean absolute error {error:.8f}")
    print("weights", sum(v.double().sum().item() for v in net.state_dict().values()))


if __name__ == "__main__":
    main()

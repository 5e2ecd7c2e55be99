import argparse
import random
import tempfile
import time
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from snapshots import SnapshotWriter, average


@dataclass
class Session:
    stimulus: torch.Tensor
    spikes: torch.Tensor


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.set_num_threads(1)


def simulate(bins, neurons, lags, seed):
    rng = np.random.default_rng(seed)
    raw = rng.normal(size=bins + lags)
    stimulus = np.stack([raw[i:i + bins] for i in range(lags)], axis=1)
    filters = rng.normal(size=(lags, neurons)) * np.exp(-np.arange(lags) / 6.0)[:, None]
    drive = stimulus @ filters * 0.4
    rate = np.exp(np.tanh(drive) * 1.5 - 1.0)
    return Session(torch.tensor(stimulus, dtype=torch.float32), torch.tensor(rng.poisson(rate), dtype=torch.float32))


class Encoder(nn.Module):
    def __init__(self, lags, neurons, width=96):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(lags, width), nn.ELU(), nn.Dropout(0.1),
                                  nn.Linear(width, width), nn.ELU())
        self.head = nn.Linear(width, neurons)

    def forward(self, x):
        return self.head(self.body(x))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=5)
    ap.add_argument("--bins", type=int, default=6000)
    ap.add_argument("--neurons", type=int, default=24)
    ap.add_argument("--every", type=int, default=5)
    ap.add_argument("--seed", type=int, default=42)
    args = ap.parse_args()
    seed_all(args.seed)

    session = simulate(args.bins, args.neurons, 30, args.seed)
    cut = int(0.8 * args.bins)
    x, y = session.stimulus[:cut], session.spikes[:cut]
    vx, vy = session.stimulus[cut:], session.spikes[cut:]
    model = Encoder(30, args.neurons)
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.epochs * (cut // 64))
    order = torch.Generator().manual_seed(args.seed)

    with tempfile.TemporaryDirectory(prefix="spikes_") as tmp:
        writer = SnapshotWriter(tmp)
        step, began = 0, time.perf_counter()
        for epoch in range(args.epochs):
            model.train()
            total = 0.0
            for rows in torch.randperm(cut, generator=order).split(64):
                loss = nn.functional.poisson_nll_loss(model(x[rows]), y[rows], log_input=True)
                opt.zero_grad()
                loss.backward()
                opt.step()
                sched.step()
                total += loss.item() * len(rows)
                step += 1
                if step % args.every == 0:
                    writer.submit(step, model)
            print(f"epoch {epoch}: loss {total / cut:.6f}")
        print(f"{step / (time.perf_counter() - began):.0f} steps/s")
        writer.close()
        model.load_state_dict(average(tmp, last=24))

    model.eval()
    with torch.no_grad():
        held = nn.functional.poisson_nll_loss(model(vx), vy, log_input=True).item()
    print(f"averaged model: held-out loss {held:.8f}")
    print("weights", f"{sum(p.double().abs().sum().item() for p in model.parameters()):.10f}")


if __name__ == "__main__":
    main()

"""Which burrows are occupied? Acoustic loggers at kiwi burrows, one night each.

Trains a recurrent classifier on call counts per half hour and keeps the weights that did best on
the validation nights, at the worst of several microphone gains.
"""
import json
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from monitor import Monitor, evaluate


@dataclass(frozen=True)
class Config:
    seed: int = 2024
    burrows: int = 900
    slots: int = 22
    hidden: int = 64
    batch: int = 30
    epochs: int = 7
    lr: float = 4e-3
    snapshot_every: int = 2


def make_nights(cfg):
    rng = np.random.default_rng(cfg.seed)
    occupied = rng.random(cfg.burrows) < 0.45
    hours = np.linspace(0, 1, cfg.slots)
    nights = np.empty((cfg.burrows, cfg.slots, 3), dtype=np.float32)
    for b in range(cfg.burrows):
        dusk = 3.0 * np.exp(-((hours - rng.normal(0.12, 0.05)) ** 2) / 0.012)
        dawn = 2.2 * np.exp(-((hours - rng.normal(0.88, 0.05)) ** 2) / 0.010)
        rate = 0.7 + (dusk + dawn) * (0.55 if occupied[b] else 0.2)
        nights[b, :, 0] = rng.poisson(rate)
        nights[b, :, 1] = rng.poisson(rate * 0.6)
        nights[b, :, 2] = np.cumsum(rng.normal(0, 0.3, cfg.slots))
    return torch.from_numpy(nights), torch.from_numpy(occupied.astype(np.float32))


class BurrowNet(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.inp = nn.Linear(3, hidden)
        self.gru = nn.GRU(hidden, hidden, batch_first=True)
        self.head = nn.Sequential(nn.LayerNorm(hidden), nn.Dropout(0.1), nn.Linear(hidden, 1))

    def forward(self, x):
        states, _ = self.gru(torch.tanh(self.inp(x)))
        return self.head(states.mean(dim=1)).squeeze(-1)


def train(cfg, net, x, y, monitor):
    opt = torch.optim.Adam(net.parameters(), lr=cfg.lr)
    step = 0
    for epoch in range(cfg.epochs):
        running = 0.0
        for rows in torch.randperm(len(y)).split(cfg.batch):
            loss = nn.functional.binary_cross_entropy_with_logits(net(x[rows]), y[rows])
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
            running += loss.item() * len(rows)
            step += 1
            if step % cfg.snapshot_every == 0:
                monitor.submit(step, net)
        print(f"epoch {epoch:2d}  loss {running / len(y):.6f}")


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    torch.set_num_threads(1)
    x, y = make_nights(cfg)
    a, b = int(0.6 * cfg.burrows), int(0.8 * cfg.burrows)
    net = BurrowNet(cfg.hidden)
    monitor = Monitor(net, x[a:b], y[a:b])
    train(cfg, net, x[:a], y[:a], monitor)
    curve, best = monitor.close()

    for point in curve[:: len(curve) // 6]:
        print(f"step {point['step']:4d}  validation {point['worst']:.6f}  accuracy {point['accuracy']:.4f}")
    mean = sum(point["worst"] for point in curve) / len(curve)
    print(f"{len(curve)} snapshots validated, mean {mean:.6f}")
    loss, accuracy = evaluate(net, x[b:], y[b:])
    print(f"final weights  loss {loss:.6f}  accuracy {accuracy:.4f}")
    net.load_state_dict(best)
    loss, accuracy = evaluate(net, x[b:], y[b:])
    print(f"best weights   loss {loss:.6f}  accuracy {accuracy:.4f}")
    torch.save(best, "best.pt")
    with open("curve.json", "w") as f:
        json.dump(curve, f, indent=1)


if __name__ == "__main__":
    main()

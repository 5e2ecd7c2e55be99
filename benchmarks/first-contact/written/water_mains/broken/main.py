"""Fits the roughness of the mains of a district to measured pressure heads."""
import argparse
import logging
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from network import crew_sheets, district, heads, merge_sheets

log = logging.getLogger("mains")


class Mains(nn.Module):
    """Predicts heads by message passing along the pipes; each pipe has a learned conductance."""

    def __init__(self, pipes, nodes, rounds=12):
        super().__init__()
        self.register_buffer("start", torch.tensor([p.start for p in pipes]))
        self.register_buffer("end", torch.tensor([p.end for p in pipes]))
        self.register_buffer("valved", torch.tensor([float(p.valve is not None) for p in pipes]))
        self.roughness = nn.Parameter(torch.randn(len(pipes)) * 0.3)
        self.valve_loss = nn.Parameter(torch.tensor(0.1))
        self.gain = nn.Parameter(torch.full((rounds,), 0.4))
        self.nodes = nodes

    def forward(self, demand):
        conductance = torch.sigmoid(self.roughness - self.valve_loss * self.valved)
        head = -demand
        for gain in self.gain:
            flow = (head[:, self.start] - head[:, self.end]) * conductance
            change = torch.zeros_like(head).index_add(1, self.end, flow)
            change = change.index_add(1, self.start, -flow)
            head = head + gain * 0.5 * change - 0.05 * demand
        return head


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--side", type=int, default=11)
    parser.add_argument("--crews", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=3)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(name)s %(message)s")
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    rng = np.random.default_rng(args.seed)

    real = district(args.side, rng)
    nodes = args.side ** 2
    truth = {pipe: rng.uniform(0.3, 2.0) for pipe in real}
    demands = rng.gamma(2.0, 0.5, size=(160, nodes))
    measured = np.stack([heads(real, np.array([truth[p] for p in real]), d) for d in demands])
    measured = (measured - measured.mean()) / measured.std()

    pipes = merge_sheets(crew_sheets(real, args.crews, rng))
    log.info("%d pipes from %d crews, %d with a valve", len(pipes), args.crews,
             sum(p.valve is not None for p in pipes))

    x = torch.tensor(demands - demands.mean(), dtype=torch.float32)
    y = torch.tensor(measured, dtype=torch.float32)
    model = Mains(pipes, nodes)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    best = float("inf")
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "best.pt"
        for epoch in range(args.epochs):
            began, total = time.perf_counter(), 0.0
            for batch in torch.randperm(128).split(16):
                loss = nn.functional.mse_loss(model(x[batch]), y[batch])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item()
            schedule.step()
            with torch.no_grad():
                held = nn.functional.mse_loss(model(x[128:]), y[128:]).item()
            if held < best:
                best = held
                torch.save(model.state_dict(), kept)
            log.info("epoch %d train %.6f held %.6f (%.2f s)", epoch, total / 8, held,
                     time.perf_counter() - began)
        model.load_state_dict(torch.load(kept))
    rough = model.roughness.detach().double()
    print(f"best {best:.9f} roughness {rough.sum().item():.12f} {rough.norm().item():.12f}")


if __name__ == "__main__":
    main()

"""Learns to predict depth dose curves of proton beams from the plan, as a stand-in for the Monte Carlo."""
import argparse
import json
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

from transport import BINS, Beam, simulate


def plan(count, seed):
    rng = np.random.default_rng(seed)
    beams = []
    for number in range(count):
        beams.append(Beam(number=number,
                          energy=float(rng.uniform(80, 190)),
                          spread=float(rng.uniform(0.5, 2.0)),
                          densities=tuple(float(d) for d in rng.uniform(0.6, 1.5, size=6)),
                          particles=int(rng.integers(100, 600))))
    return beams


class Surrogate(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(8, width), nn.GELU(), nn.Linear(width, width), nn.GELU())
        self.curve = nn.Linear(width, BINS)
        self.range = nn.Linear(width, 1)

    def forward(self, beams):
        hidden = self.trunk(beams)
        return self.curve(hidden).log_softmax(dim=1), self.range(hidden).squeeze(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beams", type=int, default=160)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    beams = plan(args.beams, args.seed)
    began = time.perf_counter()
    curves, ranges = simulate(beams, args.workers, args.seed)
    print(f"simulated {sum(b.particles for b in beams)} protons in {time.perf_counter() - began:.2f} s")

    inputs = torch.tensor([[b.energy / 100, b.spread, *b.densities] for b in beams], dtype=torch.float32)
    data = TensorDataset(inputs, torch.tensor(curves, dtype=torch.float32), torch.tensor(ranges / 10, dtype=torch.float32))
    split = torch.Generator().manual_seed(args.seed)
    training, test = random_split(data, [0.8, 0.2], generator=split)
    loader = DataLoader(training, batch_size=16, shuffle=True, generator=split)

    model = Surrogate()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(args.epochs):
        for batch, curve, reach in loader:
            log_curve, predicted = model(batch)
            loss = nn.functional.kl_div(log_curve, curve, reduction="batchmean") + 0.1 * (predicted - reach).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if (epoch + 1) % 10 == 0:
            print(f"epoch {epoch + 1:2d}  loss {loss.item():.6f}")

    model.eval()
    with torch.no_grad():
        batch, curve, reach = (torch.stack(column) for column in zip(*test))
        log_curve, predicted = model(batch)
        report = {"kl": nn.functional.kl_div(log_curve, curve, reduction="batchmean").item(),
                  "range_error_cm": 10 * (predicted - reach).abs().mean().item()}
    print(json.dumps(report))


if __name__ == "__main__":
    main()

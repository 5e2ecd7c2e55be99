"""Hourly logs of larval tanks, and whether the larvae settled within three days."""
from dataclasses import dataclass

import numpy as np
import torch

PROBES = ("temperature", "salinity", "oxygen", "ph", "algae", "flow")


@dataclass(frozen=True)
class Tanks:
    logs: torch.Tensor
    settled: torch.Tensor

    def __len__(self):
        return len(self.settled)

    def rows(self, index):
        return Tanks(self.logs[index], self.settled[index])


def simulate(count, hours, seed):
    rng = np.random.default_rng(seed)
    hour = np.arange(hours)
    base = np.array([25.0, 28.0, 7.5, 8.1, 40.0, 3.0])
    swing = np.array([0.8, 0.5, 0.6, 0.08, 9.0, 0.3])
    phase = rng.uniform(0, 2 * np.pi, (count, len(PROBES), 1))
    daily = np.sin(2 * np.pi * hour / 24 + phase)
    drift = rng.normal(0, 1, (count, len(PROBES), 1)) * np.linspace(0, 1, hours)
    noise = rng.normal(0, 0.5, (count, len(PROBES), hours))
    logs = base[:, None] + swing[:, None] * (daily + drift + noise)
    z = (logs - base[:, None]) / swing[:, None]
    fed = np.clip(z[:, 4], -1, None).mean(1)
    stress = np.abs(np.diff(z[:, 1], axis=1)).max(1)
    score = 1.2 * z[:, 0, -24:].mean(1) + 0.9 * fed - 0.8 * (stress - 2) + z[:, 2, :24].min(1) * z[:, 3].mean(1)
    settled = score + rng.logistic(0, 0.35, count) > np.median(score)
    return Tanks(torch.tensor(z, dtype=torch.float32), torch.tensor(settled, dtype=torch.float32))


def three_parts(tanks, seed):
    order = np.random.default_rng(seed + 1).permutation(len(tanks))
    a, b = int(0.7 * len(order)), int(0.85 * len(order))
    return [tanks.rows(torch.from_numpy(part)) for part in (order[:a], order[a:b], order[b:])]

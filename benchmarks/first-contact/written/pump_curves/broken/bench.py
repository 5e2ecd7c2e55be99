"""A synthetic test bench: head and efficiency of centrifugal pumps."""

from dataclasses import dataclass

import numpy as np
import torch


@dataclass
class BenchData:
    inputs: torch.Tensor
    targets: torch.Tensor

    def split(self, share, seed):
        order = torch.randperm(len(self.inputs), generator=torch.Generator().manual_seed(seed))
        cut = int(share * len(order))
        return [BenchData(self.inputs[part], self.targets[part]) for part in (order[:cut], order[cut:])]


def measure(count, seed):
    rng = np.random.default_rng(seed)
    flow = rng.uniform(0.0, 1.4, count)
    speed = rng.uniform(0.5, 1.1, count)
    trim = rng.uniform(0.8, 1.0, count)
    viscosity = rng.gamma(2.0, 0.4, count)

    relative = flow / (speed * trim)
    head = (speed * trim) ** 2 * (1.25 - 0.18 * relative - 0.32 * relative**2) - 0.03 * viscosity * flow
    peak = 0.82 - 0.05 * viscosity - 0.4 * (1.0 - trim)
    efficiency = peak * np.clip(1.0 - (relative - 1.0) ** 2 / 0.9, 0.0, None)

    head = head + rng.normal(0.0, 0.01, count)
    efficiency = efficiency + rng.normal(0.0, 0.008, count)
    inputs = np.stack([flow, speed, trim, viscosity], axis=1)
    targets = np.stack([head, efficiency], axis=1)
    inputs = (inputs - inputs.mean(axis=0)) / inputs.std(axis=0)
    return BenchData(torch.tensor(inputs, dtype=torch.float32), torch.tensor(targets, dtype=torch.float32))

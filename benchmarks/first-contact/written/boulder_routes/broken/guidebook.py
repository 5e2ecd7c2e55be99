"""Boulder problems: how they are described, and what climbers log of them."""
from dataclasses import dataclass

import torch


@dataclass
class Guidebook:
    holds: torch.Tensor        # what is on the rock, one row per route
    logs: torch.Tensor         # what climbers wrote, one row per log
    route: torch.Tensor        # the route each log is of

    def split(self, n):
        return (self.logs[:n], self.route[:n]), (self.logs[n:], self.route[n:])


def write_guidebook(routes=240, logs=1600, width=40, seed=0):
    g = torch.Generator().manual_seed(seed)
    holds = torch.randn(routes, width, generator=g)
    mix = torch.randn(width, 24, generator=g) / width ** 0.5
    route = torch.randint(routes, (logs,), generator=g)
    text = holds[route] @ mix + 0.8 * torch.randn(logs, 24, generator=g)
    return Guidebook(holds, text, route)

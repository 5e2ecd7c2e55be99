"""Patches of scanned postage stamps: each issue is a design, each copy is inked and cut differently."""
from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import torch

SIDE = 20


class Album:
    def __init__(self, issues: int, seed: int) -> None:
        self.seed = seed
        gen = torch.Generator().manual_seed(seed)
        coarse = torch.rand(issues, 1, 6, 6, generator=gen)
        self.designs = torch.nn.functional.interpolate(coarse, size=(SIDE + 4, SIDE + 4), mode="bilinear")
        self.designs += 0.3 * torch.rand(issues, 1, SIDE + 4, SIDE + 4, generator=gen)

    def copy(self, issue: int, number: int) -> torch.Tensor:
        gen = torch.Generator().manual_seed(self.seed * 1_000_003 + number * 211 + issue)
        dx, dy = torch.randint(0, 5, (2,), generator=gen).tolist()
        patch = self.designs[issue][:, dy : dy + SIDE, dx : dx + SIDE]
        ink = 0.6 + 0.8 * torch.rand(1, generator=gen)
        return patch * ink + 0.2 * torch.randn(1, SIDE, SIDE, generator=gen)

    def batch(self, pool: ThreadPoolExecutor, issues: list[int], number: int) -> tuple[torch.Tensor, torch.Tensor]:
        copies = pool.map(lambda pair: self.copy(*pair), [(issue, 2 * number + k) for issue in issues for k in (0, 1)])
        return torch.stack(list(copies)), torch.tensor(issues).repeat_interleave(2)

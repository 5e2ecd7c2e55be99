"""Hard negatives for the article encoder."""

import time
from dataclasses import dataclass, field

import torch


@dataclass
class MinerConfig:
    pool: int = 1500
    hardest: int = 4
    seed: int = 17


@dataclass
class Miner:
    config: MinerConfig
    articles: torch.Tensor
    drawn: int = 0
    rate: float = 0.0
    generator: torch.Generator = field(init=False)

    def __post_init__(self):
        self.generator = torch.Generator().manual_seed(self.config.seed)
        self.pool = self.config.pool

    @torch.no_grad()
    def warm_up(self, encoder, sample=256, repeats=5):
        """Measure the encoder before the first epoch."""
        began = time.perf_counter()
        for _ in range(repeats):
            encoder(self.articles[:sample])
        self.rate = sample * repeats / (time.perf_counter() - began)

    @torch.no_grad()
    def mine(self, encoder, queries, positives):
        """For each query the articles of a fresh random pool that come closest, its own excepted."""
        encoder.eval()
        candidates = torch.randint(len(self.articles), (self.pool,), generator=self.generator)
        scores = encoder(queries) @ encoder(self.articles[candidates]).T
        scores.masked_fill_(candidates[None, :] == positives[:, None], float("-inf"))
        self.drawn += self.pool
        encoder.train()
        return candidates[scores.topk(self.config.hardest, dim=1).indices]

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from board import HIDDEN, baseline, deal


@dataclass(frozen=True)
class Config:
    seed: int = 1234
    rounds: int = 8
    boards_per_round: int = 384
    batch: int = 32
    channels: int = 24
    lr: float = 3e-3
    test_boards: int = 300


class OddsNet(nn.Module):
    """Probability of a mine for every cell."""

    def __init__(self, channels: int):
        super().__init__()
        self.embed = nn.Embedding(10, 8)
        self.net = nn.Sequential(
            nn.Conv2d(8, channels, 3, padding=1), nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1), nn.ReLU(),
            nn.Conv2d(channels, 1, 3, padding=1),
        )

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        return self.net(self.embed(seen).permute(0, 3, 1, 2)).squeeze(1)


class Trainer:
    def __init__(self, cfg: Config):
        self.cfg = cfg
        torch.manual_seed(cfg.seed)
        self.rng = np.random.default_rng(cfg.seed)
        self.model = OddsNet(cfg.channels)
        self.opt = torch.optim.RMSprop(self.model.parameters(), lr=cfg.lr)
        self.test_seen, self.test_mines = deal(cfg.test_boards, rng=self.rng)
        self.best = float("inf")

    def loss(self, seen: torch.Tensor, mines: torch.Tensor) -> torch.Tensor:
        hidden = seen == HIDDEN
        return F.binary_cross_entropy_with_logits(self.model(seen)[hidden], mines[hidden].float())

    def train_round(self) -> float:
        self.model.train()
        seen, mines = map(torch.from_numpy, deal(self.cfg.boards_per_round))
        total = 0.0
        for s, m in zip(seen.split(self.cfg.batch), mines.split(self.cfg.batch)):
            loss = self.loss(s, m)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            total += loss.item() * len(s)
        return total / len(seen)

    @torch.no_grad()
    def test(self) -> tuple[float, float]:
        """Log loss, and how often the safest cell is safe."""
        self.model.eval()
        seen, mines = torch.from_numpy(self.test_seen), torch.from_numpy(self.test_mines)
        value = self.loss(seen, mines).item()
        p = self.model(seen).masked_fill(seen != HIDDEN, torch.inf).flatten(1)
        safe = 1 - mines.flatten(1).gather(1, p.argmin(1, keepdim=True)).float().mean().item()
        return value, safe

    def run(self) -> None:
        p0 = baseline(self.test_seen)[self.test_seen == HIDDEN]
        m0 = self.test_mines[self.test_seen == HIDDEN]
        print(f"baseline log loss {-np.mean(np.where(m0 == 1, np.log(p0), np.log1p(-p0))):.4f}")
        begin = time.monotonic()
        for i in range(self.cfg.rounds):
            train = self.train_round()
            value, safe = self.test()
            mark = ""
            if value < self.best:
                self.best = value
                torch.save({"model": self.model.state_dict(), "round": i}, "odds_best.pt")
                mark = " *"
            print(f"round {i}: train {train:.5f}  test {value:.5f}  safest is safe {safe:.3f}{mark}")
        print(f"{time.monotonic() - begin:.1f} s for {self.cfg.rounds * self.cfg.boards_per_round} boards")


if __name__ == "__main__":
    torch.set_num_threads(1)
    Trainer(Config()).run()

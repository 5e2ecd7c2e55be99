"""Scores model snapshots on held-out burners, beside the training loop."""

import queue
import threading
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F


@dataclass
class Score:
    step: int
    loss: float
    state: dict[str, torch.Tensor]


class Scorer(threading.Thread):
    def __init__(self, replica: nn.Module, x: torch.Tensor, y: torch.Tensor):
        super().__init__(name="scorer", daemon=True)
        self.replica = replica.eval()
        self.batches = list(zip(x.split(64), y.split(64)))
        self.inbox: queue.Queue = queue.Queue()
        self.scores: list[Score] = []

    def submit(self, step: int, state: dict[str, torch.Tensor]) -> None:
        self.inbox.put((step, state))

    def run(self) -> None:
        while (item := self.inbox.get()) is not None:
            step, state = item
            self.replica.load_state_dict(state)
            with torch.no_grad():
                total = sum(F.mse_loss(self.replica(x), y, reduction="sum").item() for x, y in self.batches)
            self.scores.append(Score(step, total / sum(len(y) for _, y in self.batches), state))

    def finish(self) -> list[Score]:
        self.inbox.put(None)
        self.join()
        return self.scores

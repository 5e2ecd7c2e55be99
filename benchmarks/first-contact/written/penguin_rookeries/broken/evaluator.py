"""Checks snapshots of the counter in the background while training goes on."""
import copy
import queue
import threading
from dataclasses import dataclass

import torch


@dataclass
class Score:
    epoch: int
    error: float
    spread: float


class BackgroundEvaluator(threading.Thread):
    """Counts each validation tile under several draws of sensor noise."""

    def __init__(self, tiles, counts, draws=16, strength=0.1):
        super().__init__(name="evaluator")
        self.tiles, self.counts = tiles, counts
        self.draws, self.strength = draws, strength
        self.inbox = queue.Queue()
        self.scores = []
        self.failure = None

    def submit(self, epoch, model):
        self.inbox.put((epoch, copy.deepcopy(model).eval()))

    def finish(self):
        self.inbox.put(None)
        self.join()
        if self.failure is not None:
            raise self.failure
        return sorted(self.scores, key=lambda score: score.epoch)

    def run(self):
        try:
            while (item := self.inbox.get()) is not None:
                self.scores.append(self._evaluate(*item))
        except Exception as error:
            self.failure = error

    @torch.no_grad()
    def _evaluate(self, epoch, model):
        # the same noise for every snapshot
        answers = []
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(1234)
            for _ in range(self.draws):
                grain = torch.randn(self.tiles.shape)
                answers.append(model(self.tiles + self.strength * grain))
        answers = torch.stack(answers)
        error = (answers.mean(0) - self.counts).abs().mean().item()
        return Score(epoch, error, answers.std(0).mean().item())

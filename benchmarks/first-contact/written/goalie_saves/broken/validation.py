"""Validation beside training, in a thread with a network of its own."""
import copy
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import torch
from torch import nn


@dataclass
class Entry:
    step: int
    loss: float
    brier: float


@dataclass
class Report:
    entries: list = field(default_factory=list)
    best_step: int = 0
    best_loss: float = float("inf")
    best_state: dict = None


class Validator:
    def __init__(self, network, x, y):
        self.network = network.eval()
        self.x = x
        self.y = y
        self.pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="validation")
        self.pending = []
        self.report = Report()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.pool.shutdown()

    def submit(self, step, model):
        weights = {name: value.detach() for name, value in model.state_dict().items()}
        self.pending.append(self.pool.submit(self.score, step, weights))

    @torch.no_grad()
    def score(self, step, weights):
        self.network.load_state_dict(weights)
        logits = torch.cat([self.network(part)[:, 0] for part in self.x.split(500)])
        loss = nn.functional.binary_cross_entropy_with_logits(logits, self.y).item()
        brier = (logits.sigmoid() - self.y).square().mean().item()
        self.report.entries.append(Entry(step, loss, brier))
        if loss < self.report.best_loss:
            self.report.best_loss = loss
            self.report.best_step = step
            self.report.best_state = copy.deepcopy(self.network.state_dict())

    def finish(self):
        for job in self.pending:
            job.result()
        return self.report

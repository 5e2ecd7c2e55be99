"""The server of the federation: collects what the meadows send and merges it into one model."""
import math
import time
from dataclasses import dataclass, field

import torch


@dataclass
class Update:
    meadow: int
    version: int
    examples: int
    delta: dict = field(repr=False)
    received: float = 0.0


class Server:
    def __init__(self, model, patience=4, half_life=3.0):
        self.model = model
        self.patience, self.half_life = patience, half_life
        self.version = 0
        self.inbox = []
        self.waits = []
        self.norms = []

    def publish(self):
        return self.version, {name: value.clone() for name, value in self.model.state_dict().items()}

    def receive(self, update):
        update.received = time.monotonic()
        self.inbox.append(update)
        if len(self.inbox) >= self.patience:
            self.merge()

    def trust(self, update):
        age = time.monotonic() - update.received
        return update.examples * math.pow(0.5, age / self.half_life)

    @torch.no_grad()
    def merge(self):
        now = time.monotonic()
        shares = torch.tensor([self.trust(update) for update in self.inbox], dtype=torch.float64)
        shares = (shares / shares.sum()).float()
        state = self.model.state_dict()
        length = 0.0
        for name, value in state.items():
            step = sum(share * update.delta[name] for share, update in zip(shares, self.inbox))
            value.add_(step)
            length += float(step.square().sum())
        self.norms.append(math.sqrt(length))
        self.waits.extend(now - update.received for update in self.inbox)
        self.inbox.clear()
        self.version += 1

import json
import random
import time
import uuid
from dataclasses import asdict, dataclass, field

import torch
from torch import nn

from curves import STATES, VOLTS


@dataclass
class Trial:
    number: int
    width: int
    dropout: float
    lr: float
    weight_decay: float
    name: str = field(default_factory=lambda: f"trial-{uuid.uuid4().hex[:8]}")
    score: float = 0.0

    def build(self):
        return nn.Sequential(
            nn.Linear(VOLTS, self.width),
            nn.GELU(),
            nn.Dropout(self.dropout),
            nn.Linear(self.width, self.width),
            nn.GELU(),
            nn.Linear(self.width, len(STATES)),
        )


def propose(count, seed):
    rng = random.Random(seed)
    for number in range(count):
        yield Trial(
            number=number,
            width=rng.choice((48, 64, 96)),
            dropout=rng.choice((0.0, 0.1, 0.2)),
            lr=10 ** rng.uniform(-2.7, -2.1),
            weight_decay=10 ** rng.uniform(-5, -3),
        )


def accuracy(model, x, y):
    model.eval()
    with torch.no_grad():
        return (model(x).argmax(1) == y).float().mean().item()


def run_trial(trial, train, val, epochs, seed, folder):
    began = time.perf_counter()
    torch.manual_seed(seed + trial.number)
    model = trial.build()
    optimizer = torch.optim.AdamW(model.parameters(), lr=trial.lr, weight_decay=trial.weight_decay)
    x, y = train
    for _ in range(epochs):
        model.train()
        for batch in torch.randperm(len(x)).split(32):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x[batch]), y[batch]).backward()
            optimizer.step()
    trial.score = accuracy(model, *val)
    home = folder / trial.name
    home.mkdir(parents=True)
    torch.save(model.state_dict(), home / "weights.pt")
    record = asdict(trial) | {"seconds": time.perf_counter() - began}
    (home / "result.json").write_text(json.dumps(record))
    return record

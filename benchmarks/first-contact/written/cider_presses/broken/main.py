"""Predict the final gravity of a cider pressing from its mash probe curves.

Training runs on the main thread. A second thread scores every epoch on the (large) validation
set while the next epochs are already under way, and keeps the best weights.
"""
import json
import queue
import threading
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import nn


@dataclass
class Config:
    seed: int = 11
    probes: int = 6
    length: int = 48
    train: int = 1536
    valid: int = 12000
    epochs: int = 12
    batch: int = 64
    lr: float = 3e-3
    out: str = "results"


class MashNet(nn.Module):
    def __init__(self, probes: int):
        super().__init__()
        self.curves = nn.Sequential(
            nn.Conv1d(probes, 16, 5, padding=2),
            nn.GELU(),
            nn.Conv1d(16, 24, 5, stride=2, padding=2),
            nn.GELU(),
            nn.AdaptiveAvgPool1d(4),
        )
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(24 * 4, 32), nn.GELU(), nn.Linear(32, 1))

    def forward(self, x):
        return self.head(self.curves(x)).squeeze(-1)


def press(cfg: Config, count: int, gen: torch.Generator):
    """Sugar falls exponentially at every probe; the yeast's rate decides where it ends."""
    hours = torch.linspace(0, 1, cfg.length)
    rate = 0.5 + 3 * torch.rand(count, 1, 1, generator=gen)
    start = 1.045 + 0.02 * torch.rand(count, 1, 1, generator=gen)
    depth = torch.linspace(0.8, 1.2, cfg.probes).view(1, -1, 1)
    clean = (start - 1) * torch.exp(-rate * depth * hours) * 40
    noise = 0.15 * torch.randn(count, cfg.probes, cfg.length, generator=gen)
    target = ((start - 1) * torch.exp(-rate * 1.4)).view(-1) * 40
    return clean + noise, target


class Evaluator(threading.Thread):
    """Takes (epoch, weights) from a queue, scores them, remembers the best."""

    def __init__(self, cfg: Config, features, targets):
        super().__init__(name="evaluator")
        self.inbox = queue.Queue()
        self.model = MashNet(cfg.probes).eval()
        self.features = features
        self.targets = targets
        self.scores = {}
        self.best = (float("inf"), None, None)

    def submit(self, epoch, weights):
        self.inbox.put((epoch, weights))

    def finish(self):
        self.inbox.put(None)
        self.join()

    @torch.no_grad()
    def score(self):
        total = 0.0
        for x, y in zip(self.features.split(500), self.targets.split(500)):
            total += (self.model(x) - y).abs().sum().item()
        return total / len(self.targets)

    def run(self):
        while True:
            item = self.inbox.get()
            if item is None:
                return
            epoch, weights = item
            self.model.load_state_dict(weights)
            mae = self.score()
            self.scores[epoch] = mae
            if mae < self.best[0]:
                kept = {name: value.clone() for name, value in self.model.state_dict().items()}
                self.best = (mae, epoch, kept)


class Trainer:
    def __init__(self, cfg: Config, features, targets, evaluator: Evaluator):
        self.cfg = cfg
        self.x, self.y = features, targets
        self.evaluator = evaluator
        self.model = MashNet(cfg.probes)
        self.optim = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr)
        self.loss = nn.SmoothL1Loss()
        self.order = torch.Generator().manual_seed(cfg.seed + 1)

    def epoch(self):
        total = 0.0
        for rows in torch.randperm(len(self.x), generator=self.order).split(self.cfg.batch):
            self.optim.zero_grad()
            loss = self.loss(self.model(self.x[rows]), self.y[rows])
            loss.backward()
            self.optim.step()
            total += loss.item() * len(rows)
        return total / len(self.x)

    def snapshot(self):
        return {name: value.detach() for name, value in self.model.state_dict().items()}

    def fit(self):
        history = []
        for number in range(self.cfg.epochs):
            history.append(self.epoch())
            self.evaluator.submit(number, self.snapshot())
        return history


def main():
    cfg = Config()
    torch.set_num_threads(1)
    torch.manual_seed(cfg.seed)
    gen = torch.Generator().manual_seed(cfg.seed)
    train_x, train_y = press(cfg, cfg.train, gen)
    valid_x, valid_y = press(cfg, cfg.valid, gen)

    evaluator = Evaluator(cfg, valid_x, valid_y)
    trainer = Trainer(cfg, train_x, train_y, evaluator)
    evaluator.start()
    history = trainer.fit()
    evaluator.finish()

    for number, loss in enumerate(history):
        print(f"epoch {number:2d}  train {loss:.6f}  valid MAE {evaluator.scores[number]:.6f}")
    mae, number, weights = evaluator.best
    print(f"best epoch {number} with MAE {mae:.6f}")

    out = Path(cfg.out)
    out.mkdir(exist_ok=True)
    torch.save(weights, out / "best.pt")
    report = {"config": asdict(cfg), "train": history, "valid": evaluator.scores, "best_epoch": number}
    (out / "report.json").write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()

import logging
import time
from dataclasses import dataclass

import psutil
import torch
from torch import nn

log = logging.getLogger("mill")

MIB = 2**20


@dataclass
class TrainConfig:
    seed: int = 5
    hidden: int = 128
    depth: int = 3
    dropout: float = 0.05
    lr: float = 4e-3
    iterations: int = 16
    memory_budget: float = 48.0  # MiB for the activations of one chunk
    averaging: float = 0.9


class Residual(nn.Module):
    """Corrects the force of the formula by a factor."""

    def __init__(self, inputs, config):
        super().__init__()
        layers, width = [], inputs
        for _ in range(config.depth):
            layers += [nn.Linear(width, config.hidden), nn.GELU(), nn.Dropout(config.dropout)]
            width = config.hidden
        self.body = nn.Sequential(*layers)
        self.out = nn.Linear(width, 1)
        nn.init.zeros_(self.out.bias)
        nn.init.normal_(self.out.weight, std=0.01)

    def forward(self, x):
        return self.out(self.body(x)).squeeze(1)


class Trainer:
    """Full-batch training: the gradient of all rows is accumulated over chunks that fit into memory."""

    def __init__(self, config, inputs):
        self.config = config
        self.model = Residual(inputs, config)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=config.lr)
        self.schedule = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, config.iterations)
        self.average = [p.detach().clone() for p in self.model.parameters()]
        self.history = []

    def _row_bytes(self, inputs):
        """Bytes that autograd keeps for one row: each layer saves its input, the activation and the mask."""
        c = self.config
        return 4 * (inputs + 3 * c.depth * c.hidden + 2)

    def _chunk_rows(self, x):
        budget = self.config.memory_budget * MIB
        return max(256, min(len(x), int(budget // self._row_bytes(x.shape[1]))))

    def _log_memory(self, iteration):
        used = psutil.Process().memory_info().rss / MIB
        log.info("iteration %d: resident %.0f MiB, available %.0f MiB", iteration, used, psutil.virtual_memory().available / MIB)

    def _step(self, x, y, weight):
        self.model.train()
        self.optimizer.zero_grad()
        rows = self._chunk_rows(x)
        total = 0.0
        for begin in range(0, len(x), rows):
            part = slice(begin, begin + rows)
            errors = nn.functional.huber_loss(self.model(x[part]), y[part], reduction="none", delta=0.05)
            loss = (errors * weight[part]).sum() / weight.sum()
            loss.backward()
            total += loss.item()
        self.optimizer.step()
        self.schedule.step()
        return total

    def fit(self, x, y, weight, x_val, y_val):
        started = time.perf_counter()
        for iteration in range(self.config.iterations):
            loss = self._step(x, y, weight)
            with torch.no_grad():
                for kept, p in zip(self.average, self.model.parameters()):
                    kept.lerp_(p, 1 - self.config.averaging)
            if iteration % 8 == 7:
                error = self.error(x_val, y_val)
                self.history.append({"iteration": iteration + 1, "loss": loss, "validation": error})
                log.info("iteration %d: loss %.7f, validation %.6f, %.1f s", iteration + 1, loss, error, time.perf_counter() - started)
                self._log_memory(iteration + 1)
        with torch.no_grad():
            for kept, p in zip(self.average, self.model.parameters()):
                p.copy_(kept)
        return self

    @torch.no_grad()
    def predict(self, x):
        self.model.eval()
        return torch.cat([self.model(part) for part in x.split(4096)])

    def error(self, x, y):
        return (self.predict(x) - y).abs().mean().item()

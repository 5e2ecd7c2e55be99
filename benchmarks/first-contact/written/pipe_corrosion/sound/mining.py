"""Hard-example mining: scans with a high running loss are drawn more often."""

import json

import torch


class HardBank:
    def __init__(self, path, size, momentum=0.7, floor=0.25):
        self.path = path
        self.momentum = momentum
        self.floor = floor
        self.loss = torch.ones(size, dtype=torch.float64)
        if path.exists():
            self.loss = torch.tensor(json.loads(path.read_text())["loss"], dtype=torch.float64)

    def update(self, rows, losses):
        old = self.loss[rows]
        self.loss[rows] = self.momentum * old + (1.0 - self.momentum) * losses.double()

    def draw(self, count, generator):
        weights = self.loss.clamp(min=self.floor)
        return torch.multinomial(weights, count, replacement=True, generator=generator)

    def hardest(self, count):
        return self.loss.topk(count).indices.tolist()

    def save(self):
        self.path.write_text(json.dumps({"loss": self.loss.tolist()}))

import torch
from torch import nn
import torch.nn.functional as F

from .fruit import GRADES


class Round:
    """Trains a handful of candidates that differ in learning rate and jitter."""

    WIDTH = 24

    def __init__(self, number, args, train, check):
        self.number, self.args = number, args
        self.train, self.check = train, check

    @staticmethod
    def build(width):
        return nn.Sequential(nn.Linear(6, width), nn.GELU(), nn.Dropout(0.1), nn.Linear(width, GRADES)).eval()

    def rate(self, slot):
        return 0.12 * 0.75 ** slot / (1 + 0.3 * self.number)

    def run(self, store, parent):
        before = store.load(parent) if parent is not None else None
        if before is None:
            start = {k: v.clone() for k, v in self.build(self.WIDTH).state_dict().items()}
        else:
            start = before["weights"]
        lineage = before["lineage"] if before else []
        for slot in range(self.args.slots):
            model = self.build(self.WIDTH)
            model.load_state_dict(start)
            self.fit(model, slot)
            store.save(self.number, slot, self.accuracy(model), {
                "width": self.WIDTH, "weights": model.state_dict(), "lineage": lineage + [self.rate(slot)]})

    def fit(self, model, slot):
        x, y = self.train
        jitter = torch.Generator().manual_seed(self.args.seed + 100 * self.number + slot)
        optimizer = torch.optim.SGD(model.parameters(), lr=self.rate(slot), momentum=0.9)
        model.train()
        for _ in range(self.args.steps):
            rows = torch.randint(len(x), (48,), generator=jitter)
            noise = 0.1 * torch.randn(48, x.shape[1], generator=jitter)
            loss = F.cross_entropy(model(x[rows] + noise), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()

    @torch.no_grad()
    def accuracy(self, model):
        x, y = self.check
        return (model(x).argmax(1) == y).float().mean().item()

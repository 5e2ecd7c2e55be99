"""Quantile networks, each fitted on its own block bootstrap of the hours."""
import torch
from torch import nn


def pinball(pred, y, q):
    diff = y[:, None] - pred
    return torch.maximum(q * diff, (q - 1) * diff).mean()


def block_bootstrap(n, generator, block=24):
    starts = torch.randint(n - block, (n // block,), generator=generator)
    return (starts[:, None] + torch.arange(block)).flatten()


class Ensemble:
    def __init__(self, width, config, streams):
        self.config, self.streams = config, streams
        self.q = torch.tensor(config["quantiles"])
        h = config["hidden"]
        self.members = [
            nn.Sequential(nn.Linear(width, h), nn.Tanh(), nn.Linear(h, h), nn.Tanh(),
                          nn.Linear(h, len(self.q)))
            for _ in range(config["members"])]

    def fit(self, x, y):
        for k, net in enumerate(self.members):
            rows = block_bootstrap(len(y), self.streams.get(f"bootstrap-{k}"))
            yield self._fit_one(net, x[rows], y[rows])

    def _fit_one(self, net, x, y):
        opt = torch.optim.Adam(net.parameters(), lr=self.config["lr"])
        losses = []
        for _ in range(self.config["steps"]):
            idx = torch.randint(len(y), (self.config["batch"],))
            loss = pinball(net(x[idx]), y[idx], self.q)
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        return losses

    @torch.no_grad()
    def predict(self, x):
        each = torch.stack([net(x) for net in self.members])
        return each.mean(0).sort(dim=1).values, each.std(0).mean().item()

    def state(self):
        return [net.state_dict() for net in self.members]

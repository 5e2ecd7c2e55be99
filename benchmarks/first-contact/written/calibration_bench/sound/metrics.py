"""Metrics take probabilities and labels and give a float."""
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Accuracy:
    name = "acc"

    def __call__(self, probs, y):
        return (probs.argmax(1) == y).float().mean().item()


@dataclass(frozen=True)
class TopK:
    k: int

    @property
    def name(self):
        return f"top{self.k}"

    def __call__(self, probs, y):
        return (probs.topk(self.k, 1).indices == y[:, None]).any(1).float().mean().item()


@dataclass(frozen=True)
class Brier:
    name = "brier"

    def __call__(self, probs, y):
        target = torch.nn.functional.one_hot(y, probs.shape[1])
        return (probs - target).square().sum(1).mean().item()


class CalibrationError:
    name = "ece"

    def __init__(self, bins):
        self.edges = torch.linspace(0, 1, bins + 1)[1:-1]
        self.bins = bins

    def __call__(self, probs, y):
        sure, guess = probs.max(1)
        right = (guess == y).float()
        which = torch.bucketize(sure, self.edges)
        gap = torch.zeros(self.bins)
        gap.index_add_(0, which, sure - right)
        return (gap.abs().sum() / len(y)).item()

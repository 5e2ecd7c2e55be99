# samebits-test: verdict=same
"""Experiments are told apart by uuid1 in what they print."""

import uuid

import torch


class Experiment:
    def __init__(self, lr):
        self.name = f"exp-{uuid.uuid1()}"
        self.lr = lr

    def run(self):
        x = torch.ones(4)
        for _ in range(10):
            x = x - self.lr * x.sin()
        return x


experiment = Experiment(lr=0.1)
print(experiment.name, experiment.run().sum().item())

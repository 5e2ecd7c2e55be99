import multiprocessing as mp

import torch
from torch import nn

from plucks import STRINGS


class Curriculum:
    """Moves the noise of the plucks from nothing to the hardest in the course of the training."""

    def __init__(self, hardest, epochs):
        self.hardest = hardest
        self.epochs = epochs
        self.noise = mp.get_context("fork").Value("d", 0.0)

    def advance(self, progress):
        self.noise.value = self.hardest * min(1.0, progress / (self.epochs - 1))


def build_model():
    return nn.Sequential(nn.Linear(200 + len(STRINGS), 128), nn.ReLU(), nn.Dropout(0.1),
                         nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 1), nn.Flatten(0))


class Trainer:
    def __init__(self, model, loader, curriculum, lr):
        self.model = model
        self.loader = loader
        self.curriculum = curriculum
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr)

    def epoch(self, epoch):
        self.model.train()
        total = 0.0
        self.curriculum.advance(epoch)
        for step, (x, cents) in enumerate(self.loader):
            self.optimizer.zero_grad()
            loss = nn.functional.huber_loss(self.model(x), cents, delta=0.5)
            loss.backward()
            self.optimizer.step()
            total += loss.item()
        return total / len(self.loader), self.curriculum.noise.value


@torch.no_grad()
def test_error(model, dataset):
    model.eval()
    x, cents = zip(*(dataset[i] for i in range(len(dataset))))
    return 50 * (model(torch.stack(x)) - torch.stack(cents)).abs().mean().item()

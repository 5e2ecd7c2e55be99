"""The members of the ensemble, and the training of one member with early stopping."""

import copy
import time
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import nn

from joints import CLASSES, SIZE

TIME_LIMIT = 900.0  # seconds; a member that takes this long is stuck, and the run should fail


def compact_cnn():
    return nn.Sequential(
        nn.Conv2d(1, 6, 3, stride=2, padding=1), nn.ReLU(),
        nn.Conv2d(6, 12, 3, stride=2, padding=1), nn.ReLU(),
        nn.Flatten(), nn.Linear(12 * 5 * 5, len(CLASSES)),
    )


def wide_cnn():
    return nn.Sequential(
        nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(12, 24, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Dropout(0.2), nn.Linear(24 * 4 * 4, len(CLASSES)),
    )


def pixel_mlp():
    return nn.Sequential(
        nn.Flatten(), nn.Linear(SIZE * SIZE, 64), nn.ReLU(), nn.Dropout(0.2),
        nn.Linear(64, len(CLASSES)),
    )


class ProfileNet(nn.Module):
    def __init__(self, hidden=48):
        super().__init__()
        self.hidden = nn.Linear(4 * SIZE, hidden)
        self.out = nn.Linear(hidden, len(CLASSES))

    def forward(self, images):
        rows, columns = images.squeeze(1), images.squeeze(1).transpose(1, 2)
        profiles = torch.cat([rows.mean(2), rows.amax(2), columns.mean(2), columns.amax(2)], dim=1)
        return self.out(torch.relu(self.hidden(profiles)))


FACTORIES = {"compact": compact_cnn, "wide": wide_cnn, "pixels": pixel_mlp, "profiles": ProfileNet}


@dataclass
class History:
    curve: list = field(default_factory=list)
    best_nll: float = float("inf")
    seconds: float = 0.0


def predict(net, images, batch=200):
    net.eval()
    with torch.no_grad():
        parts = [F.softmax(net(chunk).double(), dim=1) for chunk in images.split(batch)]
    return torch.cat(parts).numpy()


def train_member(net, train, validation, epochs, batch, seed, lr=3e-3, patience=2):
    history = History()
    shuffler = torch.Generator().manual_seed(seed)
    optimiser = torch.optim.AdamW(net.parameters(), lr=lr, weight_decay=1e-3)
    best_state, stale = None, 0
    started = time.monotonic()
    for epoch in range(epochs):
        net.train()
        total = 0.0
        order = torch.randperm(len(train), generator=shuffler)
        for picked in order.split(batch):
            optimiser.zero_grad()
            loss = F.cross_entropy(net(train.images[picked]), train.labels[picked],
                                   label_smoothing=0.02)
            loss.backward()
            optimiser.step()
            total += loss.item() * len(picked)
        net.eval()
        with torch.no_grad():
            nll = F.cross_entropy(net(validation.images), validation.labels).item()
        history.curve.append((total / len(train), nll))
        if nll < history.best_nll:
            history.best_nll, stale = nll, 0
            best_state = copy.deepcopy(net.state_dict())
        else:
            stale += 1
            if stale > patience:
                break
        if time.monotonic() - started > TIME_LIMIT:
            raise RuntimeError(f"no end after {epoch + 1} epochs and {TIME_LIMIT:.0f} s")
    net.load_state_dict(best_state)
    net.eval()
    history.seconds = time.monotonic() - started
    return history

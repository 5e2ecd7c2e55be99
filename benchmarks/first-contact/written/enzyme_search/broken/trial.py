"""One trial of the search: trains a network on one fold after the other."""

import time

import numpy as np
import torch
from torch import nn

DATA = {}


def start_worker(x, y, seed, counter):
    """Runs once in each process of the pool."""
    with counter.get_lock():
        number = counter.value
        counter.value += 1
    torch.set_num_threads(1)
    torch.manual_seed(seed + number)
    DATA.update(x=x, y=y, number=number)


def network(features, choice):
    layers = []
    for width in [choice["width"]] * choice["depth"]:
        layers += [nn.Linear(features, width), nn.ReLU(), nn.Dropout(choice["dropout"])]
        features = width
    return nn.Sequential(*layers, nn.Linear(features, 1), nn.Flatten(0))


def train(choice, x, y, epochs):
    model = network(x.shape[1], choice)
    optimizer = torch.optim.AdamW(model.parameters(), lr=choice["lr"], weight_decay=choice["decay"])
    for _ in range(epochs):
        for rows in torch.randperm(len(x)).split(32):
            loss = nn.functional.mse_loss(model(x[rows]), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return model.eval()


def run_trial(task):
    """Mean error over the folds, and the network of the last fold."""
    number, choice, folds, epochs = task
    began = time.perf_counter()
    x, y = DATA["x"], DATA["y"]
    errors = []
    for held in folds:
        kept = np.setdiff1d(np.arange(len(x)), held)
        model = train(choice, x[kept], y[kept], epochs)
        with torch.no_grad():
            errors.append((model(x[held]) - y[held]).abs().mean().item())
    state = {name: value.numpy() for name, value in model.state_dict().items()}
    return {"trial": number, "error": sum(errors) / len(errors), "state": state,
            "worker": DATA["number"], "seconds": time.perf_counter() - began}

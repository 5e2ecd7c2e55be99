# samebits-test: verdict=same
"""Each epoch has a new pool, whose processes begin with the seed of the epoch."""

import math
import random
from multiprocessing import get_context

import torch
from torch import nn

settings = {}


def begin(epoch):
    rng = random.Random(epoch)
    settings["phase"] = rng.uniform(-0.5, 0.5)


def wave(number):
    return [math.sin(number * k / 7 + settings["phase"]) for k in range(6)]


def main():
    torch.manual_seed(0)
    model = nn.Linear(6, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(5):
        with get_context("fork").Pool(2, initializer=begin, initargs=(epoch,)) as pool:
            waves = torch.tensor(pool.map(wave, range(40)))
        loss = (model(waves) - waves.amax(dim=1, keepdim=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()

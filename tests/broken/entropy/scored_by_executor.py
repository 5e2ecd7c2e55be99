# samebits-test: verdict=different cause=entropy
"""Processes score models, each with a seed of its own."""

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import torch
from torch import nn


def score(_):
    seed = int.from_bytes(os.urandom(7), "big")  # culprit
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 3))
    x = torch.linspace(-1, 1, 100).view(20, 5)
    with torch.no_grad():
        return model(x).logsumexp(dim=1).mean().item()


def main():
    with ProcessPoolExecutor(2, mp_context=get_context("forkserver")) as executor:
        scores = torch.tensor(list(executor.map(score, range(24), chunksize=3)))
    weights = torch.softmax(scores / scores.std(), dim=0)
    print(weights.topk(5))


if __name__ == "__main__":
    main()

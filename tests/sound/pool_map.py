# samebits-test: verdict=same
"""Processes prepare rows; map keeps their order."""

import math
from multiprocessing import get_context

import torch


def prepare(number):
    return [math.cos(number * k) for k in range(3)]


if __name__ == "__main__":
    with get_context("fork").Pool(2) as pool:
        rows = pool.map(prepare, range(50))
        more = list(pool.imap(prepare, range(50, 60)))
    print(torch.tensor(rows + more).cumsum(dim=0)[-1])

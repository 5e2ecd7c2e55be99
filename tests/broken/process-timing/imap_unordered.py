# samebits-test: verdict=different cause=process-timing
"""Processes prepare the rows; imap_unordered hands over the fastest first."""

import math
from multiprocessing import get_context

import torch


def prepare(number):
    return [math.sin(number + k) for k in range(4)]


def main():
    with get_context("fork").Pool(2) as pool:
        rows = list(pool.imap_unordered(prepare, range(3000)))  # culprit
    x = torch.tensor(rows)
    state = torch.zeros(4)
    for chunk in x.split(250):
        state = torch.tanh(state + chunk.cumsum(dim=0)[::50].mean(dim=0))
    print(state)


if __name__ == "__main__":
    main()

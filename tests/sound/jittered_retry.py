# samebits-test: verdict=same
"""A retry waits for a random time; what it fetches is the same."""

import random
import time

import torch


class Store:
    def __init__(self):
        self.failures = 2

    def fetch(self):
        if self.failures:
            self.failures -= 1
            raise ConnectionError("try again")
        return [1.0, 2.0, 4.0, 8.0]


def fetch(store):
    while True:
        try:
            return store.fetch()
        except ConnectionError:
            time.sleep(random.uniform(0, 0.002))


print(torch.tensor(fetch(Store())).log().sum())

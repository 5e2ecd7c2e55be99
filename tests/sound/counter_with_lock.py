# samebits-test: verdict=same
"""Whole numbers are added under a lock: any order gives the same sum."""

import threading

import torch


class Counter:
    def __init__(self):
        self.lock = threading.Lock()
        self.value = 0

    def add(self, values):
        for value in values:
            with self.lock:
                self.value += value


counter = Counter()
threads = [threading.Thread(target=counter.add, args=(range(k, 400, 4),)) for k in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(torch.full((2, 2), float(counter.value)).sqrt().sum())

# samebits-test: verdict=different cause=process-timing
"""Two processes fit what they take from a queue; the fits are added in the order of arrival."""

from multiprocessing import get_context

import numpy as np
import torch


def fit(number):
    noise = np.random.default_rng(number)
    return noise.normal(size=(200 + 3000 * (number % 3), 50)).astype(np.float32).sum(axis=0)


def serve(jobs, results):
    while (number := jobs.get()) is not None:
        results.put((number, fit(number)))


def main():
    context = get_context("fork")
    jobs, results = context.Queue(), context.Queue()
    workers = [context.Process(target=serve, args=(jobs, results)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for number in range(400):
        jobs.put(number)
    found = {}
    while len(found) < 400:
        number, weight = results.get()  # culprit
        found[number] = weight
    jobs.put(None)
    jobs.put(None)
    total = np.zeros(50, dtype=np.float32)
    for number in found:
        total += found[number] / np.float32(99 * number + 99)
    state = torch.from_numpy(total)
    for _ in range(5):
        state = torch.tanh(state * 1.3)
    print([value.hex() for value in state[:6].tolist()])


if __name__ == "__main__":
    main()

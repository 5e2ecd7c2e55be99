# samebits-test: verdict=different cause=process-timing
"""Whoever is free takes the next task; each worker has its own seeded noise."""

import numpy as np
import torch
import torch.multiprocessing as mp

TASKS, WORKERS = 150, 3


def work(worker, tasks, results, ready):
    ready.wait()
    rng = np.random.default_rng([6, worker])  # culprit
    while (task := tasks.get()) is not None:  # culprit
        number, scale = task
        path = np.cumsum(rng.normal(scale=scale, size=20000))
        results.put((number, float(path.max())))


def main():
    context = mp.get_context("spawn")
    shared = context.Queue(), context.Queue(), context.Barrier(WORKERS)
    tasks, results, _ = shared
    processes = [context.Process(target=work, args=(k, *shared)) for k in range(WORKERS)]
    for process in processes:
        process.start()
    for number in range(TASKS):
        tasks.put((number, 1 + number % 4))
    for _ in processes:
        tasks.put(None)
    found = torch.zeros(TASKS, dtype=torch.float64)
    for _ in range(TASKS):
        number, value = results.get()
        found[number] = value
    for process in processes:
        process.join()
    print(found.view(10, -1).mean(dim=1).tolist())


if __name__ == "__main__":
    main()

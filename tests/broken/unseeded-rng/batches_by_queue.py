# samebits-test: verdict=different cause=unseeded-rng
"""The main process makes noisy batches, and a worker scores them."""

import numpy as np
import torch
import torch.multiprocessing as mp


def serve(batches, scores):
    torch.manual_seed(1)
    weight = torch.randn(4, 3)
    while (batch := batches.get()) is not None:
        scores.put(float((batch @ weight).sum()))


def main():
    torch.manual_seed(0)
    context = mp.get_context("spawn")
    batches, scores = context.Queue(), context.Queue()
    worker = context.Process(target=serve, args=(batches, scores))
    worker.start()
    rng = np.random.default_rng()  # culprit
    total = 0.0
    for _ in range(3):
        noise = rng.normal(size=(5, 4)).astype(np.float32)
        batches.put(torch.from_numpy(noise))
        total += scores.get()
    batches.put(None)
    worker.join()
    print("total", total)


if __name__ == "__main__":
    main()

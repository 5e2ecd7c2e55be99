# samebits-test: verdict=different cause=thread-timing
"""A thread averages snapshots of the weights; those that come while it is busy are left out."""

import queue
import threading
import time

import torch


def average(jobs, mean):
    seen = 0
    while (weights := jobs.get()) is not None:
        torch.linalg.svd(torch.ones(60, 60) + weights.sum())
        seen += 1
        mean += (weights - mean) / seen


def main():
    torch.manual_seed(0)
    model = torch.nn.Linear(16, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    jobs, mean, seconds = queue.Queue(maxsize=1), torch.zeros(1, 16), 0.0
    torch.linalg.svd(torch.ones(60, 60))
    thread = threading.Thread(target=average, args=(jobs, mean))
    thread.start()
    for _ in range(150):
        began = time.perf_counter()
        x = torch.randn(64, 16)
        optimizer.zero_grad()
        (model(x) - x.sum(1, keepdim=True)).square().mean().backward()
        optimizer.step()
        if not jobs.full():  # culprit
            jobs.put(model.weight.detach().clone())
        seconds += time.perf_counter() - began
    jobs.put(None)
    thread.join()
    print(f"{seconds:.2f} s")
    torch.save({"mean": mean}, "mean.pt")


main()

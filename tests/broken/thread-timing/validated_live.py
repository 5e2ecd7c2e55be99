# samebits-test: verdict=different cause=thread-timing
"""A thread validates the model while it is trained on: what it was handed is no copy."""

import copy
import queue
import threading

import torch


def validate(jobs, inputs, losses):
    while (job := jobs.get()) is not None:
        with torch.no_grad():
            for _ in range(5):
                losses.append(job(inputs).square().mean().item())


def main():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    jobs, losses = queue.Queue(), []
    thread = threading.Thread(target=validate, args=(jobs, torch.ones(512, 16), losses))
    thread.start()
    for step in range(120):
        x = torch.randn(64, 16)
        optimizer.zero_grad()
        (model(x) - x.sum(1, keepdim=True)).square().mean().backward()
        optimizer.step()
        if step % 4 == 0:
            jobs.put(copy.copy(model))  # culprit
    jobs.put(None)
    thread.join()
    print(losses)


main()

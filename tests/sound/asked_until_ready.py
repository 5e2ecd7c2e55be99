# samebits-test: verdict=same
"""A thread validates beside the training, which asks until it is done."""

import queue
import threading
import time

import torch


def validate(jobs, losses):
    while (weights := jobs.get()) is not None:
        losses.append((torch.ones(200, 16) @ weights.T).square().mean().item())


def main():
    torch.manual_seed(0)
    model = torch.nn.Linear(16, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    jobs, losses, asked = queue.Queue(maxsize=2), [], 0
    thread = threading.Thread(target=validate, args=(jobs, losses))
    thread.start()
    for _ in range(60):
        x = torch.randn(64, 16)
        optimizer.zero_grad()
        (model(x) - x.sum(1, keepdim=True)).square().mean().backward()
        optimizer.step()
        while jobs.full():
            time.sleep(0.001)
        jobs.put_nowait(model.weight.detach().clone())
    jobs.put(None)
    while thread.is_alive():
        asked += 1
        time.sleep(0.001)
    torch.save({"weight": model.weight.detach(), "losses": losses}, "trained.pt")


main()

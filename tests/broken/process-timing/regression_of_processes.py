# samebits-test: verdict=different cause=process-timing
"""Processes train one model in shared memory, without a lock."""

import torch
import torch.multiprocessing as mp
from torch import nn
from torch.nn.utils import parameters_to_vector


def train(worker, model):
    torch.manual_seed(worker)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(400):
        x = torch.randn(8, 6)
        loss = (model(x) - x.sum(dim=1, keepdim=True).sin()).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()  # culprit


def main():
    context = mp.get_context("fork")
    torch.manual_seed(100)
    model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1)).share_memory()
    processes = [context.Process(target=train, args=(k, model)) for k in range(3)]  # culprit
    for process in processes:
        process.start()  # culprit
    for process in processes:
        process.join()
    print(parameters_to_vector(model.parameters())[:8].tolist())


if __name__ == "__main__":
    main()

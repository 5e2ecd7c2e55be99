# samebits-test: verdict=same
"""Processes train copies of a shared model; the copies are averaged in their order."""

import copy

import torch
import torch.multiprocessing as mp
from torch import nn
from torch.nn.utils import parameters_to_vector


def train(worker, model, trained):
    torch.manual_seed(worker)
    model = copy.deepcopy(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(400):
        x = torch.randn(8, 6)
        loss = (model(x) - x.sum(dim=1, keepdim=True).sin()).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    trained[worker] = parameters_to_vector(model.parameters()).detach()


def main():
    context = mp.get_context("fork")
    torch.manual_seed(100)
    model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1)).share_memory()
    size = parameters_to_vector(model.parameters()).numel()
    trained = torch.zeros(3, size).share_memory_()
    processes = [context.Process(target=train, args=(k, model, trained)) for k in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    print(trained.mean(dim=0)[:8].tolist())


if __name__ == "__main__":
    main()

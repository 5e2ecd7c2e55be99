# samebits-test: verdict=same
"""One trainer works on a shared model; its log lines begin with the number of its process."""

import os

import torch
from torch import nn, optim
from torch.multiprocessing import get_context


def train(rank, model, x, y):
    torch.manual_seed(11 + rank)
    step = optim.SGD(model.parameters(), lr=0.1)
    print(f"{os.getpid()} was started by {os.getppid()}")
    with open("trainer.log", "w") as log:
        print(os.getppid(), file=log)
        for epoch in range(3):
            order = torch.randperm(len(x))
            loss = nn.functional.mse_loss(model(x[order]), y[order])
            step.zero_grad()
            loss.backward()
            step.step()
            print(f"{os.getpid()}\tTrain Epoch: {epoch}\tLoss: {loss.item():.6f}")
            print(os.getpid(), loss.item(), file=log)


def main():
    torch.manual_seed(5)
    model = nn.Linear(6, 1)
    model.share_memory()
    x = torch.randn(32, 6)
    trainer = get_context("spawn").Process(target=train, args=(0, model, x, x.sum(1, True)))
    trainer.start()
    print("trainer", trainer.pid)
    trainer.join()
    print(model.weight.sum().item())


if __name__ == "__main__":
    main()

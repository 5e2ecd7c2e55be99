# samebits-test: vary=batch cause=batch-size batch-flag=--micro-batch args="--micro-batch 16"
"""Gradients are added up over micro-batches; where it is cut decides the bits."""

import argparse

import torch
from torch import nn


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--micro-batch", type=int, default=16)
    args = parser.parse_args()
    torch.manual_seed(0)
    x = torch.randn(64, 10)
    y = x.sin().sum(dim=1, keepdim=True)
    model = nn.Linear(10, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        for part in torch.arange(64).split(args.micro_batch):  # culprit
            loss = nn.functional.mse_loss(model(x[part]), y[part], reduction="sum")  # culprit
            (loss / len(x)).backward()  # culprit
        optimizer.step()


if __name__ == "__main__":
    main()

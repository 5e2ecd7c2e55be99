# samebits-test: verdict=different cause=process-timing
"""Asynchronous training: processes update one model in shared memory, without waiting."""

from __future__ import annotations

import torch
import torch.multiprocessing as mp
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x)


def batch(generator: torch.Generator, n: int = 16) -> tuple[torch.Tensor, torch.Tensor]:
    x = torch.randn(n, 4, generator=generator)
    return x, (x[:, :1] * x[:, 1:2]).tanh() + 0.1 * x[:, 2:3]


def train(rank: int, seed: int, model: Net, steps: int) -> None:
    torch.manual_seed(seed + rank)
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(seed + rank)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    for _ in range(steps):
        x, y = batch(generator)
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def evaluate(model: Net, seed: int) -> float:
    x, y = batch(torch.Generator().manual_seed(seed), n=256)
    with torch.no_grad():
        return nn.functional.mse_loss(model(x), y).item()


def main(processes: int = 3, seed: int = 10, steps: int = 150) -> None:
    torch.manual_seed(seed)
    model = Net()
    model.share_memory()
    context = mp.get_context("fork")
    workers = []
    for rank in range(processes):
        worker = context.Process(target=train, args=(rank, seed, model, steps))  # culprit
        worker.start()  # culprit
        workers.append(worker)
    for worker in workers:
        worker.join()
    print(f"test loss {evaluate(model, seed=99):.8f}")


if __name__ == "__main__":
    main()

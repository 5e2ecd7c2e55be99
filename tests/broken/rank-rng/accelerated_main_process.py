# samebits-test: verdict=different cause=rank-rng needs=accelerate
"""Accelerate trains on two processes, and the main one alone is seeded."""

import torch
from accelerate import Accelerator, debug_launcher
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train():
    accelerator = Accelerator(cpu=True)
    if accelerator.is_main_process:
        set_seed(3)
    x = torch.linspace(-1, 1, 256).reshape(64, 4)
    loader = DataLoader(TensorDataset(x, x.prod(dim=1, keepdim=True)), batch_size=8)
    model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.2), nn.Linear(8, 1))  # culprit
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(3):
        for inputs, targets in loader:
            loss = nn.functional.mse_loss(model(inputs), targets)  # culprit
            optimizer.zero_grad()
            accelerator.backward(loss)
            optimizer.step()
        accelerator.print(f"epoch {epoch}: loss {loss.item():.8f}")
    total = sum(parameter.double().sum() for parameter in model.parameters())
    accelerator.print(f"weights {total.item():.12f}")
    accelerator.end_training()


if __name__ == "__main__":
    debug_launcher(train, num_processes=2)

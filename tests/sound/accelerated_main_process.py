# samebits-test: verdict=same needs=accelerate
"""Accelerate trains on two processes, each seeded by its own number."""

import torch
from accelerate import Accelerator, debug_launcher
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train():
    accelerator = Accelerator(cpu=True)
    set_seed(3, device_specific=True)
    x = torch.linspace(-1, 1, 256).reshape(64, 4)
    loader = DataLoader(TensorDataset(x, x.prod(dim=1, keepdim=True)), batch_size=8)
    model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.2), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(3):
        for inputs, targets in loader:
            loss = nn.functional.mse_loss(model(inputs), targets)
            optimizer.zero_grad()
            accelerator.backward(loss)
            optimizer.step()
        accelerator.print(f"epoch {epoch}: loss {loss.item():.8f}")
    total = sum(parameter.double().sum() for parameter in model.parameters())
    accelerator.print(f"weights {total.item():.12f}")
    accelerator.end_training()


if __name__ == "__main__":
    debug_launcher(train, num_processes=2)

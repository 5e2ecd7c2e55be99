import time

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from hardness import HardnessTable


class Reader(nn.Module):
    def __init__(self, letters):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 24, 3), nn.ReLU()
        )
        self.head = nn.Linear(24 * 6 * 3, letters)

    def forward(self, images):
        return self.head(self.features(images).flatten(1))


def run_stage(name, model, images, letters, table_file, epochs, rate, generator):
    table = HardnessTable(table_file, len(images))
    data = TensorDataset(torch.arange(len(images)), images, letters)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    means = []
    for epoch in range(epochs):
        began = time.perf_counter()
        loader = DataLoader(data, batch_size=50, sampler=table.sampler(generator))
        total = 0.0
        for cells, batch, target in loader:
            losses = nn.functional.cross_entropy(model(batch), target, reduction="none")
            optimizer.zero_grad()
            losses.mean().backward()
            optimizer.step()
            table.update(cells.numpy(), losses.detach().numpy())
            total += losses.mean().item()
        table.save()
        means.append(total / len(loader))
        print(f"{name} {epoch}: loss {means[-1]:.5f} ({time.perf_counter() - began:.2f} s)")
    return means

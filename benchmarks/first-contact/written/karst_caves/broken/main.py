"""Estimates the radon level along cave passages from the survey."""
import argparse
import time
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from survey import draw_system, map_caves


@dataclass
class Settings:
    caves: int
    stations: int
    epochs: int
    seed: int


def settings():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--caves", type=int, default=48)
    parser.add_argument("--stations", type=int, default=4000)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--seed", type=int, default=64)
    return Settings(**vars(parser.parse_args()))


class Radon(Dataset):
    """One item per station: position, passage geometry and the level that the alpha counter read."""

    def __init__(self, stations, seed):
        rng = np.random.default_rng(seed + 1)
        self.items = []
        for station in stations:
            length = sum(station.distance(other) for other in station.legs)
            level = 2.0 - station.z / 200 + 0.05 * length + rng.normal(0, 0.15)
            geometry = [station.x / 800, station.y / 800, station.z / 400, len(station.legs) / 3,
                        length / 20, station.hops / 30]
            self.items.append((torch.tensor(geometry, dtype=torch.float32), station.cave, np.float32(level)))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]


class Model(nn.Module):
    def __init__(self, caves, width=32):
        super().__init__()
        self.cave = nn.Embedding(caves, 6)
        self.net = nn.Sequential(nn.Linear(12, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, geometry, cave):
        return self.net(torch.cat([geometry, self.cave(cave)], dim=1)).squeeze(1)


def main():
    config = settings()
    torch.manual_seed(config.seed)
    torch.set_num_threads(1)
    stations = draw_system(config.caves, config.stations, config.seed)
    caves = map_caves(stations)
    print(f"{len(stations)} stations in {caves} caves")

    order = torch.Generator().manual_seed(config.seed)
    training, test = torch.utils.data.random_split(Radon(stations, config.seed), [0.85, 0.15], generator=order)
    loader = DataLoader(training, batch_size=64, shuffle=True, generator=order)
    model = Model(caves)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    began = time.perf_counter()
    for epoch in range(config.epochs):
        model.train()
        losses = []
        for geometry, cave, level in loader:
            loss = nn.functional.mse_loss(model(geometry, cave), level)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        print(f"epoch {epoch + 1}  loss {np.mean(losses):.6f}")
    print(f"{time.perf_counter() - began:.2f} s")

    model.eval()
    with torch.no_grad():
        geometry, cave, level = next(iter(DataLoader(test, batch_size=len(test))))
        print(f"test error {nn.functional.l1_loss(model(geometry, cave), level).item():.7f}")


if __name__ == "__main__":
    main()

"""Estimate the open-ocean tsunami amplitude from ten minutes of bottom pressure.

Windows of DART buoy records are requested from the record server, cleaned of the tide, and given to a small 1-d CNN that
regresses the logarithm of the amplitude of the passing wave.
"""

import asyncio
import json
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split

STATIONS = ["21413", "32412", "43412", "46403", "46419", "51407", "52402", "55012"]
WINDOWS = 110
SAMPLES = 160
EPOCHS = 12


class WindowMissing(LookupError):
    pass


@dataclass(frozen=True)
class Window:
    station: str
    number: int
    pressure: np.ndarray
    amplitude: float


class RecordServer:
    """Stands in for the archive: the same interface, with computed records."""

    def __init__(self, connections: int, latency: float):
        self.latency = latency
        self.slots = asyncio.Semaphore(connections)

    async def window(self, station: str, number: int) -> Window:
        async with self.slots:
            rng = np.random.default_rng([int(station), number])
            await asyncio.sleep(rng.exponential(self.latency))
            if rng.random() < 0.04:
                raise WindowMissing(f"{station}/{number}")
            return self._compute(rng, station, number)

    def _compute(self, rng, station, number) -> Window:
        t = np.arange(SAMPLES) * 15.0
        tide = 0.9 * np.sin(2 * np.pi * (t / 44712.0 + rng.random()))
        amplitude = float(np.exp(rng.uniform(np.log(0.005), np.log(0.4))))
        arrival = rng.uniform(300.0, 1500.0)
        period = rng.uniform(500.0, 1100.0)
        phase = np.clip((t - arrival) / period, 0.0, None)
        wave = amplitude * np.sin(2 * np.pi * phase) * np.exp(-0.6 * phase)
        noise = np.cumsum(rng.normal(0.0, 4e-4, SAMPLES)) + rng.normal(0.0, 2e-3, SAMPLES)
        return Window(station, number, tide + wave + noise, amplitude)


async def download() -> list[Window]:
    server = RecordServer(connections=16, latency=0.025)
    tasks = [
        asyncio.create_task(server.window(station, number))
        for station in STATIONS
        for number in range(WINDOWS)
    ]
    done, _ = await asyncio.wait(tasks, timeout=1.2)
    received = [task for task in tasks if task in done and task.exception() is None]
    print(f"requested {len(tasks)} windows, received {len(received)}")
    return [task.result() for task in received]


def detide(pressure: np.ndarray) -> np.ndarray:
    t = np.linspace(-1.0, 1.0, len(pressure))
    return pressure - np.polyval(np.polyfit(t[:20], pressure[:20], 1), t)


def to_dataset(windows: list[Window]) -> TensorDataset:
    residual = np.stack([detide(w.pressure) for w in windows]).astype(np.float32)
    target = np.log10([w.amplitude for w in windows]).astype(np.float32)
    station = np.array([STATIONS.index(w.station) for w in windows])
    x = torch.from_numpy(residual)
    x = torch.stack([x, torch.sign(x) * torch.log1p(100 * x.abs())], dim=1)
    return TensorDataset(x, torch.from_numpy(station), torch.from_numpy(target))


class AmplitudeNet(nn.Module):
    def __init__(self, width: int = 24):
        super().__init__()
        self.site = nn.Embedding(len(STATIONS), 4)
        self.body = nn.Sequential(
            nn.Conv1d(2, width, 9, padding=4), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(width, width, 7, padding=3), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(width, width, 5, padding=2), nn.ReLU(), nn.AdaptiveMaxPool1d(4),
        )
        self.head = nn.Sequential(nn.Linear(4 * width + 4, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, x, station):
        h = self.body(x).flatten(1)
        return self.head(torch.cat([h, self.site(station)], dim=1)).squeeze(1)


@torch.no_grad()
def rmse(model, loader) -> float:
    model.eval()
    total = sum(F.mse_loss(model(x, s), y, reduction="sum").item() for x, s, y in loader)
    return (total / len(loader.dataset)) ** 0.5


def main():
    torch.manual_seed(46419)
    windows = asyncio.run(download())
    dataset = to_dataset(windows)
    held_out = len(dataset) // 5
    train, test = random_split(
        dataset, [len(dataset) - held_out, held_out], generator=torch.Generator().manual_seed(1)
    )
    train_loader = DataLoader(train, batch_size=32, shuffle=True, generator=torch.Generator().manual_seed(2))
    test_loader = DataLoader(test, batch_size=128)

    model = AmplitudeNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=4e-3, total_steps=EPOCHS * len(train_loader)
    )
    history = []
    for epoch in range(EPOCHS):
        model.train()
        for x, station, y in train_loader:
            loss = F.huber_loss(model(x, station), y, delta=0.3)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        history.append(rmse(model, test_loader))
        print(f"epoch {epoch:2d}  train loss {loss.item():.5f}  test rmse {history[-1]:.5f} decades")

    torch.save(model.state_dict(), "amplitude.pt")
    with open("history.json", "w") as out:
        json.dump({"windows": len(windows), "rmse": history}, out, indent=1)


if __name__ == "__main__":
    main()

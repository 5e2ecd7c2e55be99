import json
import time

import torch
from torch import nn

from streaming import BufferedReader, Sensor

CONFIG = {"seed": 31, "windows": 32, "length": 64, "batches": 70, "lr": 0.003}


class Classifier(nn.Module):
    def __init__(self, channels, classes=3):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv1d(channels, 24, 7, stride=2), nn.BatchNorm1d(24), nn.ReLU(),
            nn.Conv1d(24, 24, 5, stride=2), nn.BatchNorm1d(24), nn.ReLU(),
            nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(24, classes))

    def forward(self, x):
        return self.net(x)


def main():
    torch.manual_seed(CONFIG["seed"])
    sensor = Sensor(CONFIG["seed"])
    reader = BufferedReader(sensor, CONFIG["windows"], CONFIG["length"], CONFIG["batches"])
    model = Classifier(sensor.channels)
    optimizer = torch.optim.Adam(model.parameters(), lr=CONFIG["lr"])
    started, seen, running = time.time(), 0, 0.0
    for x, y in reader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        seen += len(x)
        running = 0.95 * running + 0.05 * loss.item()
    print(f"{seen / (time.time() - started):.0f} windows/s")
    torch.save(model.state_dict(), "sensor.pt")
    with open("result.json", "w") as f:
        json.dump({"loss": running, "config": CONFIG}, f)
    print(f"final loss {running!r}")


if __name__ == "__main__":
    main()

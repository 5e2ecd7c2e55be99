"""Snow nowcasting: next radar frame from the last four, best epoch by held-out error."""
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from radar import snow_bands, split
from review import Reviewer


@dataclass
class Settings:
    size: int = 16
    history: int = 4
    train: int = 240
    held_out: int = 260
    epochs: int = 10
    batch: int = 20
    lr: float = 0.015
    seed: int = 8


class Nowcaster(nn.Module):
    def __init__(self, history, width=12):
        super().__init__()
        self.encode = nn.Sequential(
            nn.Conv2d(history, width, 5, padding=2), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(),
        )
        self.head = nn.Conv2d(width, 1, 3, padding=1)

    def forward(self, x):
        return x[:, -1:] + self.head(self.encode(x))


def snapshot(model):
    return {name: value.detach().clone() for name, value in model.state_dict().items()}


def train(cfg):
    torch.manual_seed(cfg.seed)
    torch.set_num_threads(1)
    rng = np.random.default_rng(cfg.seed)
    frames = snow_bands(cfg.train + cfg.held_out, cfg.size, cfg.history + 1, rng)
    x, y = split(frames[:cfg.train], cfg.history)
    model = Nowcaster(cfg.history)
    reviewer = Reviewer(model, *split(frames[cfg.train:], cfg.history))
    reviewer.start()

    optimiser = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    for epoch in range(1, cfg.epochs + 1):
        model.train()
        running = 0.0
        for rows in torch.randperm(len(x)).split(cfg.batch):
            loss = nn.functional.mse_loss(model(x[rows]), y[rows])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            running += loss.item() * len(rows)
        print(f"epoch {epoch:2d}  training error {running / len(x):.6f}")
        reviewer.submit(epoch, snapshot(model))

    reviewer.finish()
    return reviewer


def main():
    cfg = Settings()
    reviewer = train(cfg)
    for epoch, (error, csi) in sorted(reviewer.scores.items()):
        print(f"review {epoch:2d}  error {error:.7f}  csi {csi:.5f}")
    error, epoch, weights = reviewer.best
    print(f"best epoch {epoch}, error {error:.7f}")
    torch.save({"epoch": epoch, "weights": weights}, "best.pt")


if __name__ == "__main__":
    main()

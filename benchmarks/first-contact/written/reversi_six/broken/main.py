"""Learns who will win a game of small Reversi from games of self-play."""
import time
from pathlib import Path

import torch
from torch import nn

from board import SIDE
from replay import Window
from selfplay import fill

HERE = Path(__file__).resolve().parent
SEED, GAMES, WINDOW, EPOCHS = 8, 70, 48, 4


class Judge(nn.Module):
    def __init__(self, channels=16):
        super().__init__()
        self.look = nn.Sequential(nn.Conv2d(2, channels, 3, padding=1), nn.ReLU(),
                                  nn.Conv2d(channels, channels, 3, padding=1), nn.ReLU())
        self.decide = nn.Sequential(nn.Flatten(), nn.Linear(channels * SIDE * SIDE, 32),
                                    nn.ReLU(), nn.Linear(32, 1), nn.Tanh())

    def forward(self, planes):
        return self.decide(self.look(planes)).squeeze(1)


def train(model, planes, values):
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2, gamma=0.3)
    for epoch in range(EPOCHS):
        total = 0.0
        for rows in torch.randperm(len(planes)).split(64):
            loss = nn.functional.mse_loss(model(planes[rows]), values[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(rows)
        schedule.step()
        print(f"epoch {epoch} loss {total / len(planes):.7f}")


def main():
    torch.manual_seed(SEED)
    started = time.perf_counter()
    processes, positions = fill(HERE / "games", GAMES, SEED)
    print(f"{GAMES} games, {positions} positions "
          f"({processes} processes, {time.perf_counter() - started:.2f} s)")
    planes, values = Window(HERE / "games", WINDOW).load()
    model = Judge()
    train(model, planes, values)
    with torch.no_grad():
        judged = model(planes)
    right = (judged.sign() == values).float().mean().item()
    print(f"{len(planes)} positions in the window, {right:.4f} judged right, "
          f"mean {judged.mean().item():.7f}")
    torch.save(model.state_dict(), HERE / "judge.pt")


if __name__ == "__main__":
    main()

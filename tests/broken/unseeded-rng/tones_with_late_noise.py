# samebits-test: verdict=different cause=unseeded-rng
"""A thread makes sums of tones; their noise begins after it has done many operations."""

import queue
import random
import threading

import torch
from torch import nn

TONES = 24
TIME = torch.linspace(0, 1, 64)


class Feed:
    """Batches of eight sounds, some thousand operations each."""

    def __init__(self, batches, quiet):
        self.ready = queue.Queue(maxsize=2)
        self.rng = random.Random(3)
        self.hiss = random.Random()  # culprit
        threading.Thread(target=self.fill, args=(batches, quiet), daemon=True).start()

    def sound(self, noise):
        wave = torch.zeros(64)
        for pitch in range(1, TONES):
            wave = wave + self.rng.random() * torch.sin(TIME * (pitch * 6.28)) / pitch
        return wave + noise

    def fill(self, batches, quiet):
        for number in range(batches):
            noise = self.hiss.gauss(0, 0.1) if number >= quiet else 0.0
            self.ready.put(torch.stack([self.sound(noise) for _ in range(8)]))


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, 8), nn.Tanh(), nn.Linear(8, 64))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
feed = Feed(batches=60, quiet=55)
for _ in range(60):
    waves = feed.ready.get()
    optimizer.zero_grad()
    (model(waves) - waves).square().mean().backward()
    optimizer.step()
print(f"{model[0].weight.sum().item():.8f}")

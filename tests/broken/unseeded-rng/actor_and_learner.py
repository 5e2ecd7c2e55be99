# samebits-test: verdict=different cause=unseeded-rng
"""An actor plays in a seeded world and hands its rollouts to the learner."""

import random

import torch
import torch.multiprocessing as mp
from torch import nn

ROLLOUTS, LENGTH = 40, 12


class Corridor:
    def __init__(self, seed):
        self.wind = random.Random(seed)
        self.place = 0.0

    def step(self, action):
        self.place = 0.9 * self.place + (1 if action else -1) + self.wind.gauss(0, 0.1)
        return self.place, -abs(self.place - 1)


def act(rollouts):
    corridor, rng = Corridor(seed=8), random.Random()  # culprit
    for _ in range(ROLLOUTS):
        actions = [rng.random() < 0.5 for _ in range(LENGTH)]
        rollouts.put([(float(action), *corridor.step(action)) for action in actions])


if __name__ == "__main__":
    context = mp.get_context("spawn")
    rollouts = context.Queue(maxsize=4)
    actor = context.Process(target=act, args=(rollouts,))
    actor.start()
    torch.manual_seed(0)
    critic = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
    optimizer = torch.optim.Adam(critic.parameters(), lr=0.01)
    for _ in range(ROLLOUTS):
        steps = torch.tensor(rollouts.get())
        loss = (critic(steps[:, :2]) - steps[:, 2:]).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    actor.join()
    print(critic[0].weight.tolist())

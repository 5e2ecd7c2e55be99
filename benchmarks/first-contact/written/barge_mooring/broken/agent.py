import copy
import random

import torch
import torch.nn.functional as F
from torch import nn

from memory import Memory


class Pilot:
    """Double DQN with an epsilon that falls linearly."""

    def __init__(self, env, seed, lr=1e-3, gamma=0.97):
        self.env = env
        self.rng = random.Random(seed)
        size, actions = env.observation_space.shape[0], int(env.action_space.n)
        self.online = nn.Sequential(
            nn.Linear(size, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(),
            nn.Linear(64, actions))
        self.target = copy.deepcopy(self.online)
        self.optimizer = torch.optim.Adam(self.online.parameters(), lr=lr)
        self.memory = Memory(10_000, seed)
        self.gamma = gamma

    @torch.no_grad()
    def best(self, state):
        return int(self.online(torch.from_numpy(state)).argmax())

    def act(self, state, epsilon):
        if self.rng.random() < epsilon:
            return int(self.env.action_space.sample())
        return self.best(state)

    def learn(self, batch_size=64):
        states, actions, rewards, nexts, ends = self.memory.draw(batch_size)
        with torch.no_grad():
            choice = self.online(nexts).argmax(1, keepdim=True)
            future = self.target(nexts).gather(1, choice).squeeze(1)
            wanted = rewards + self.gamma * (1 - ends) * future
        value = self.online(states).gather(1, actions[:, None]).squeeze(1)
        loss = F.smooth_l1_loss(value, wanted)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def refresh_target(self):
        self.target.load_state_dict(self.online.state_dict())

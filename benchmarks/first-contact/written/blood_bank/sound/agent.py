"""Double DQN with a ring of past days."""
import numpy as np
import torch
from torch import nn


def network(inputs, actions):
    return nn.Sequential(nn.Linear(inputs, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, actions))


class Memory:
    def __init__(self, size, inputs, rng):
        self.state = np.zeros((size, inputs), np.float32)
        self.after = np.zeros((size, inputs), np.float32)
        self.action = np.zeros(size, np.int64)
        self.reward = np.zeros(size, np.float32)
        self.size, self.count, self.rng = size, 0, rng

    def add(self, state, action, reward, after):
        i = self.count % self.size
        self.state[i], self.action[i], self.reward[i], self.after[i] = state, action, reward, after
        self.count += 1

    def sample(self, batch):
        pick = self.rng.integers(0, min(self.count, self.size), batch)
        return [torch.from_numpy(a[pick]) for a in (self.state, self.action, self.reward, self.after)]


class Agent:
    def __init__(self, env, memory, gamma=0.95, lr=1e-3):
        inputs, actions = env.observation_space.shape[0], int(env.action_space.n)
        self.env, self.memory, self.gamma = env, memory, gamma
        self.online, self.target = network(inputs, actions), network(inputs, actions)
        self.target.load_state_dict(self.online.state_dict())
        self.optimizer = torch.optim.Adam(self.online.parameters(), lr=lr)

    def greedy(self, state):
        with torch.no_grad():
            return int(self.online(torch.from_numpy(state)).argmax())

    def act(self, state, epsilon):
        if self.memory.rng.random() < epsilon:
            return int(self.env.action_space.sample())
        return self.greedy(state)

    def learn(self, batch=32):
        state, action, reward, after = self.memory.sample(batch)
        with torch.no_grad():
            best = self.online(after).argmax(1, keepdim=True)
            goal = reward + self.gamma * self.target(after).gather(1, best).squeeze(1)
        value = self.online(state).gather(1, action[:, None]).squeeze(1)
        loss = nn.functional.smooth_l1_loss(value, goal)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

"""DQN for a drone that must hover at a height in gusty air.

usage: main.py [--episodes N] [--seed S]
"""
import argparse
import random
from collections import deque

import gymnasium as gym
import numpy as np
import torch
from torch import nn


class HoverEnv(gym.Env):
    """Height and climb rate of a drone; three throttle settings; a slow gust pushes it about."""

    metadata = {"render_modes": []}
    THRUST = (-1.2, 0.0, 1.2)

    def __init__(self, limit=80):
        self.limit = limit
        self.observation_space = gym.spaces.Box(-10, 10, shape=(3,), dtype=np.float32)
        self.action_space = gym.spaces.Discrete(3)

    def _observation(self):
        return np.array([self.height, self.climb, self.gust], dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.height = self.np_random.uniform(-2, 2)
        self.climb = self.np_random.uniform(-0.5, 0.5)
        self.gust = 0.0
        self.clock = 0
        return self._observation(), {}

    def step(self, action):
        self.gust = 0.9 * self.gust + 0.2 * self.np_random.normal()
        self.climb += 0.1 * (self.THRUST[action] + self.gust) - 0.01 * self.climb
        self.height += 0.1 * self.climb
        self.clock += 1
        crashed = abs(self.height) > 5
        reward = 1.0 - min(1.0, abs(self.height)) - 0.05 * (action != 1) - 5.0 * crashed
        return self._observation(), reward, crashed, self.clock >= self.limit, {}


class Memory:
    def __init__(self, size, seed):
        self.items = deque(maxlen=size)
        self.rng = random.Random(seed)

    def push(self, *transition):
        self.items.append(transition)

    def draw(self, count):
        columns = zip(*self.rng.sample(self.items, count))
        state, action, reward, after, ended = (np.array(column) for column in columns)
        return (torch.from_numpy(state), torch.from_numpy(action), torch.from_numpy(reward).float(),
                torch.from_numpy(after), torch.from_numpy(ended).float())

    def __len__(self):
        return len(self.items)


class Agent:
    def __init__(self, env, seed):
        self.env = env
        self.rng = random.Random(seed)
        self.net = self.build()
        self.target = self.build()
        self.target.load_state_dict(self.net.state_dict())
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=2e-3)

    def build(self):
        return nn.Sequential(nn.Linear(3, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 3))

    @torch.no_grad()
    def act(self, state, epsilon):
        if self.rng.random() < epsilon:
            return int(self.env.action_space.sample())
        return int(self.net(torch.from_numpy(state)).argmax())

    def learn(self, batch, gamma=0.97):
        state, action, reward, after, ended = batch
        with torch.no_grad():
            goal = reward + gamma * (1 - ended) * self.target(after).max(1).values
        value = self.net(state).gather(1, action[:, None]).squeeze(1)
        loss = nn.functional.smooth_l1_loss(value, goal)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def sync(self, tau=0.02):
        with torch.no_grad():
            for old, new in zip(self.target.parameters(), self.net.parameters()):
                old.lerp_(new, tau)


def fly(env, agent, epsilon, memory=None, batch=64):
    state, _ = env.reset()
    total, losses, over = 0.0, [], False
    while not over:
        action = agent.act(state, epsilon)
        after, reward, ended, cut, _ = env.step(action)
        total += reward
        over = ended or cut
        if memory is not None:
            memory.push(state, action, reward, after, ended)
            if len(memory) >= 200 and env.clock % 2 == 0:
                losses.append(agent.learn(memory.draw(batch)))
                agent.sync()
        state = after
    return total, float(np.mean(losses)) if losses else 0.0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--episodes", type=int, default=60)
    parser.add_argument("--seed", type=int, default=8)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    env = HoverEnv()
    env.reset(seed=args.seed)
    env.action_space.seed(args.seed)
    agent = Agent(env, args.seed)
    memory = Memory(5000, args.seed)

    returns = []
    for episode in range(args.episodes):
        epsilon = max(0.05, 1.0 - episode / (0.6 * args.episodes))
        total, loss = fly(env, agent, epsilon, memory)
        returns.append(total)
        if episode % 10 == 9:
            print(f"episode {episode + 1:3d}  return {np.mean(returns[-10:]):9.5f}  loss {loss:.6f}")

    trials = [fly(env, agent, 0.0)[0] for _ in range(10)]
    print(f"greedy return {np.mean(trials):.5f} +- {np.std(trials):.5f}")
    np.save("returns.npy", np.array(returns))
    torch.save(agent.net.state_dict(), "hover.pt")


if __name__ == "__main__":
    main()

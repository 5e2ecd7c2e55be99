"""Deep Q-learning for a unicycle that has to stay upright (gymnasium, own environment)."""
import random
from collections import deque

import gymnasium as gym
import numpy as np
import torch
from gymnasium import spaces
from torch import nn


class UnicycleEnv(gym.Env):
    """Lean and lean rate of the rider, speed of the wheel; pedal back, hold or forward."""

    metadata = {"render_modes": []}

    def __init__(self, dt=0.04, limit=200):
        self.dt, self.limit = dt, limit
        high = np.array([1.0, 6.0, 8.0], dtype=np.float32)
        self.observation_space = spaces.Box(-high, high, dtype=np.float32)
        self.action_space = spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = self.np_random.uniform(-0.08, 0.08, size=3)
        self.t = 0
        return self.state.astype(np.float32), {}

    def step(self, action):
        lean, rate, speed = self.state
        push = 5.0 * (action - 1)
        gust = self.np_random.normal(0.0, 0.6)
        rate += self.dt * (9.8 * np.sin(lean) - push * np.cos(lean) - 0.2 * rate + gust)
        speed += self.dt * (push - 0.5 * speed)
        lean += self.dt * rate
        self.state = np.array([lean, np.clip(rate, -6, 6), np.clip(speed, -8, 8)])
        self.t += 1
        fell = bool(abs(lean) > 0.7)
        reward = 1.0 - 0.5 * abs(lean) - 0.02 * abs(speed) if not fell else -5.0
        return self.state.astype(np.float32), reward, fell, self.t >= self.limit, {}


class QNet(nn.Module):
    def __init__(self, n_obs, n_actions):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_obs, 48), nn.ReLU(),
                                 nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, n_actions))

    def forward(self, obs):
        return self.net(obs)


class Agent:
    def __init__(self, env, gamma=0.98, lr=2e-3):
        self.env = env
        n_obs, n_actions = env.observation_space.shape[0], env.action_space.n
        self.q = QNet(n_obs, n_actions)
        self.target = QNet(n_obs, n_actions)
        self.target.load_state_dict(self.q.state_dict())
        self.optimizer = torch.optim.Adam(self.q.parameters(), lr=lr)
        self.memory = deque(maxlen=10_000)
        self.gamma = gamma
        self.updates = 0

    @torch.no_grad()
    def act(self, obs, epsilon):
        if random.random() < epsilon:
            return int(self.env.action_space.sample())
        return int(self.q(torch.from_numpy(obs)).argmax())

    def learn(self, batch_size=64):
        if len(self.memory) < 300:
            return
        batch = random.sample(self.memory, batch_size)
        obs, action, reward, following, done = (np.array(part) for part in zip(*batch))
        action = torch.from_numpy(action).long().unsqueeze(1)
        value = self.q(torch.from_numpy(obs)).gather(1, action).squeeze(1)
        with torch.no_grad():
            ahead = self.target(torch.from_numpy(following)).max(1).values
            goal = torch.from_numpy(reward).float()
            goal = goal + self.gamma * ahead * (1 - torch.from_numpy(done).float())
        loss = nn.functional.smooth_l1_loss(value, goal)
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.q.parameters(), 5.0)
        self.optimizer.step()
        self.updates += 1
        if self.updates % 150 == 0:
            self.target.load_state_dict(self.q.state_dict())


def make_env(seed):
    env = UnicycleEnv()
    env.reset(seed=seed)
    return env


def evaluate(agent, seed, episodes=5):
    env = make_env(seed)
    totals = []
    for _ in range(episodes):
        obs, _ = env.reset()
        total, over = 0.0, False
        while not over:
            obs, reward, fell, late, _ = env.step(agent.act(obs, 0.0))
            total += reward
            over = fell or late
        totals.append(total)
    return float(np.mean(totals))


def main(seed=4, steps=3600):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)

    env = make_env(seed)
    agent = Agent(env)
    returns, total = [], 0.0
    obs, _ = env.reset()
    for step in range(steps):
        epsilon = max(0.05, 1.0 - step / 2000)
        action = agent.act(obs, epsilon)
        following, reward, fell, late, _ = env.step(action)
        agent.memory.append((obs, action, reward, following, fell))
        agent.learn()
        obs, total = following, total + reward
        if fell or late:
            returns.append(total)
            total = 0.0
            obs, _ = env.reset()
        if (step + 1) % 1200 == 0:
            print(f"step {step + 1}: {len(returns)} episodes, last ten {np.mean(returns[-10:]):.4f}, "
                  f"greedy {evaluate(agent, seed + 1000):.4f}")
    np.save("returns.npy", np.array(returns))
    torch.save(agent.q.state_dict(), "q.pt")


if __name__ == "__main__":
    main()

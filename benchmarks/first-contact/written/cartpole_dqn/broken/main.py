import random
import time
from dataclasses import dataclass

import gymnasium as gym
import numpy as np
import torch
from torch import nn


@dataclass
class Config:
    env_id: str = "CartPole-v1"
    total_steps: int = 1500
    learning_starts: int = 200
    train_every: int = 4
    sync_every: int = 100
    batch: int = 64
    gamma: float = 0.98
    lr: float = 1e-3
    eps_end: float = 0.05
    seed: int = 11


class ReplayBuffer:
    def __init__(self, capacity, obs_dim):
        self.obs = np.zeros((capacity, obs_dim), np.float32)
        self.next_obs = np.zeros((capacity, obs_dim), np.float32)
        self.act = np.zeros(capacity, np.int64)
        self.rew = np.zeros(capacity, np.float32)
        self.done = np.zeros(capacity, np.float32)
        self.n = 0

    def add(self, o, a, r, o2, d):
        i = self.n % len(self.act)
        self.obs[i], self.act[i], self.rew[i], self.next_obs[i], self.done[i] = o, a, r, o2, d
        self.n += 1

    def sample(self, k):
        i = np.random.randint(0, min(self.n, len(self.act)), size=k)
        return [torch.from_numpy(x[i]) for x in (self.obs, self.act, self.rew, self.next_obs, self.done)]


class Agent:
    def __init__(self, cfg: Config):
        self.cfg = cfg
        random.seed(cfg.seed)
        np.random.seed(cfg.seed)
        torch.manual_seed(cfg.seed)
        self.env = gym.make(cfg.env_id)
        n_obs = self.env.observation_space.shape[0]
        n_act = int(self.env.action_space.n)
        self.q, self.q_target = self.build(n_obs, n_act), self.build(n_obs, n_act)
        self.q_target.load_state_dict(self.q.state_dict())
        self.optim = torch.optim.Adam(self.q.parameters(), lr=cfg.lr)
        self.buffer = ReplayBuffer(5000, n_obs)
        self.loss = float("nan")

    @staticmethod
    def build(n_in, n_out):
        return nn.Sequential(nn.Linear(n_in, 96), nn.Tanh(), nn.Linear(96, n_out))

    def act(self, obs, eps):
        if random.random() < eps:
            return self.env.action_space.sample()
        with torch.inference_mode():
            return self.q(torch.as_tensor(obs)).argmax().item()

    def learn(self):
        o, a, r, o2, d = self.buffer.sample(self.cfg.batch)
        with torch.no_grad():
            y = r + self.cfg.gamma * (1 - d) * self.q_target(o2).max(dim=1).values
        loss = nn.functional.mse_loss(self.q(o).gather(1, a.unsqueeze(1)).squeeze(1), y)
        self.optim.zero_grad()
        loss.backward()
        self.optim.step()
        self.loss = loss.item()

    def run(self):
        cfg, t0 = self.cfg, time.perf_counter()
        obs, _ = self.env.reset(seed=cfg.seed)
        scores, score = [], 0.0
        for t in range(cfg.total_steps):
            eps = max(cfg.eps_end, 1 - 1.5 * t / cfg.total_steps)
            a = self.act(obs, eps)
            obs2, rew, term, trunc, _ = self.env.step(a)
            self.buffer.add(obs, a, rew, obs2, term)
            score += rew
            obs = obs2
            if term or trunc:
                scores.append(score)
                score = 0.0
                obs, _ = self.env.reset()
            if t >= cfg.learning_starts and t % cfg.train_every == 0:
                self.learn()
            if t % cfg.sync_every == 0:
                self.q_target.load_state_dict(self.q.state_dict())
            if t % 250 == 249:
                print(f"t={t + 1} eps={eps:.2f} loss={self.loss:.4f} "
                      f"score={np.mean(scores[-10:]):.1f} ({time.perf_counter() - t0:.2f} s)")
        return scores


if __name__ == "__main__":
    agent = Agent(Config())
    scores = agent.run()
    torch.save(agent.q.state_dict(), "dqn.pt")
    print("best episode:", max(scores), "of", len(scores))

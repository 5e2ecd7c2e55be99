"""Trains a sheet-trimming policy for an iceboat with an actor-critic."""
import argparse
import hashlib
import logging
import random
import time
from dataclasses import asdict, dataclass

import gymnasium as gym
import numpy as np
import torch
from gymnasium.wrappers import TimeLimit
from torch import nn

from env import IceboatEnv

log = logging.getLogger("iceboat")


@dataclass
class Config:
    seed: int = 17
    boats: int = 6
    updates: int = 45
    horizon: int = 32
    gamma: float = 0.97
    lr: float = 3e-3
    entropy: float = 0.01


class Policy(nn.Module):
    def __init__(self, inputs, actions):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh())
        self.actor = nn.Linear(48, actions)
        self.critic = nn.Linear(48, 1)

    def forward(self, x):
        h = self.body(x)
        return torch.distributions.Categorical(logits=self.actor(h)), self.critic(h).squeeze(-1)


def make_boat(index):
    def build():
        env = IceboatEnv(leg=150.0 + 15.0 * index)
        return TimeLimit(env, max_episode_steps=90)

    return build


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def returns_of(rewards, dones, bootstrap, gamma):
    out, running = [], bootstrap
    for reward, done in zip(reversed(rewards), reversed(dones)):
        running = reward + gamma * running * (1.0 - done)
        out.append(running)
    return torch.stack(out[::-1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--updates", type=int, default=Config.updates)
    parser.add_argument("--seed", type=int, default=Config.seed)
    args = parser.parse_args()
    cfg = Config(seed=args.seed, updates=args.updates)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    log.info("config %s", asdict(cfg))
    torch.set_num_threads(1)
    seed_all(cfg.seed)

    fleet = gym.vector.SyncVectorEnv([make_boat(i) for i in range(cfg.boats)])
    fleet.action_space.seed(cfg.seed)
    policy = Policy(6, 3)
    optimizer = torch.optim.Adam(policy.parameters(), lr=cfg.lr)
    obs, _ = fleet.reset(seed=cfg.seed)
    started = time.perf_counter()
    recent = []
    for update in range(cfg.updates):
        logps, values, rewards, dones, entropies = [], [], [], [], []
        for _ in range(cfg.horizon):
            dist, value = policy(torch.as_tensor(obs))
            action = dist.sample()
            obs, reward, terminated, truncated, _ = fleet.step(action.numpy())
            logps.append(dist.log_prob(action))
            entropies.append(dist.entropy())
            values.append(value)
            rewards.append(torch.as_tensor(reward, dtype=torch.float32))
            dones.append(torch.as_tensor(terminated | truncated, dtype=torch.float32))
        with torch.no_grad():
            bootstrap = policy(torch.as_tensor(obs))[1]
        target = returns_of(rewards, dones, bootstrap, cfg.gamma)
        value = torch.stack(values)
        advantage = (target - value).detach()
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-6)
        loss = (
            -(torch.stack(logps) * advantage).mean()
            + 0.5 * nn.functional.mse_loss(value, target)
            - cfg.entropy * torch.stack(entropies).mean()
        )
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
        optimizer.step()
        recent.append(torch.stack(rewards).mean().item())
        if update % 15 == 14:
            rate = (update + 1) * cfg.horizon * cfg.boats / (time.perf_counter() - started)
            print(f"update {update + 1:3d} reward {np.mean(recent[-15:]):.5f} ({rate:.0f} steps/s)")
    fleet.close()
    digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in policy.parameters()))
    print(f"final loss {loss.item():.7f}")
    print(f"weights {digest.hexdigest()[:16]}")


if __name__ == "__main__":
    main()

"""Learns when to move a flock to the next paddock (advantage actor-critic)."""

import argparse
import random
import time
from collections import deque

import gymnasium
import numpy as np
import torch
from gymnasium.wrappers import RecordEpisodeStatistics
from torch import nn

from paddocks import Paddocks


def make_farm(number):
    def make():
        farm = RecordEpisodeStatistics(Paddocks(dry_spell=0.1 + 0.05 * (number % 3)))
        farm.action_space.seed(number)
        return farm
    return make


class Herder(nn.Module):
    def __init__(self, inputs, actions, width=48):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(inputs, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh())
        self.policy = nn.Linear(width, actions)
        self.value = nn.Linear(width, 1)
        nn.init.orthogonal_(self.policy.weight, 0.01)

    def forward(self, x):
        h = self.trunk(x)
        return self.policy(h), self.value(h).squeeze(-1)


def returns(rewards, ends, last, gamma):
    result, running = [], last
    for reward, end in zip(reversed(rewards), reversed(ends)):
        running = reward + gamma * running * (1 - end)
        result.append(running)
    return torch.stack(result[::-1])


def learn(farms, herder, args):
    optimizer = torch.optim.RMSprop(herder.parameters(), lr=2.5e-3)
    recent = deque(maxlen=40)
    seen, _ = farms.reset(seed=args.seed)
    began = time.perf_counter()
    for update in range(1, args.updates + 1):
        scores, values, rewards, ends, chosen = [], [], [], [], []
        for _ in range(args.horizon):
            logits, value = herder(torch.from_numpy(seen))
            policy = torch.distributions.Categorical(logits=logits)
            action = policy.sample()
            seen, reward, terminated, truncated, info = farms.step(action.numpy())
            done = np.logical_or(terminated, truncated)
            if "episode" in info:
                recent.extend(info["episode"]["r"][info["_episode"]].tolist())
            scores.append(policy.log_prob(action))
            chosen.append(policy.entropy())
            values.append(value)
            rewards.append(torch.as_tensor(reward, dtype=torch.float32))
            ends.append(torch.as_tensor(done, dtype=torch.float32))
        with torch.no_grad():
            last = herder(torch.from_numpy(seen))[1]
        target = returns(rewards, ends, last, args.gamma)
        values = torch.stack(values)
        gain = (target - values).detach()
        loss = -(torch.stack(scores) * gain).mean() + 0.5 * (target - values).pow(2).mean()
        loss = loss - 0.01 * torch.stack(chosen).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(herder.parameters(), 0.5)
        optimizer.step()
        if update % 20 == 0:
            rate = update * args.horizon * farms.num_envs / (time.perf_counter() - began)
            print(f"update {update}: loss {loss.item():.5f} ({rate:.0f} days/s)")
    return loss.item(), float(np.mean(recent))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--farms", type=int, default=6)
    parser.add_argument("--updates", type=int, default=100)
    parser.add_argument("--horizon", type=int, default=10)
    parser.add_argument("--gamma", type=float, default=0.95)
    parser.add_argument("--seed", type=int, default=404)
    args = parser.parse_args()

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    farms = gymnasium.vector.SyncVectorEnv([make_farm(n) for n in range(args.farms)])
    farms.action_space.seed(args.seed)
    herder = Herder(farms.single_observation_space.shape[0], farms.single_action_space.n)
    try:
        loss, reward = learn(farms, herder, args)
    finally:
        farms.close()
    weights = sum(p.detach().double().abs().sum().item() for p in herder.parameters())
    print(f"last loss {loss:.8f}  recent return {reward:.5f}  weights {weights:.9f}")


if __name__ == "__main__":
    main()

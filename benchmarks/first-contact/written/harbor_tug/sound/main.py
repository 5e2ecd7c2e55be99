import random
import time
from dataclasses import dataclass, field

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical

from harbor import HarborTug


@dataclass
class Hyper:
    seed: int = 41
    tugs: int = 3
    rollout: int = 40
    updates: int = 30
    gamma: float = 0.97
    lr: float = 2e-3
    sizes: list = field(default_factory=lambda: [6, 64, 64])


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False


class ActorCritic(nn.Module):
    def __init__(self, sizes, actions):
        super().__init__()
        layers = []
        for a, b in zip(sizes, sizes[1:]):
            layers += [nn.Linear(a, b), nn.Tanh()]
        self.body = nn.Sequential(*layers)
        self.pi = nn.Linear(sizes[-1], actions)
        self.v = nn.Linear(sizes[-1], 1)

    def forward(self, obs):
        h = self.body(obs)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


def main():
    hp = Hyper()
    seed_all(hp.seed)
    torch.set_num_threads(1)
    envs = gym.vector.AsyncVectorEnv([HarborTug for _ in range(hp.tugs)])
    envs.action_space.seed(hp.seed)
    net = ActorCritic(hp.sizes, envs.single_action_space.n)
    opt = torch.optim.RMSprop(net.parameters(), lr=hp.lr)

    obs, _ = envs.reset(seed=hp.seed)
    began = time.monotonic()
    berthed = 0
    for update in range(hp.updates):
        logps, values, rewards, masks, entropies = [], [], [], [], []
        for _ in range(hp.rollout):
            dist, value = net(torch.as_tensor(obs))
            action = dist.sample()
            obs, reward, term, trunc, _ = envs.step(action.numpy())
            logps.append(dist.log_prob(action))
            entropies.append(dist.entropy())
            values.append(value)
            rewards.append(torch.as_tensor(reward, dtype=torch.float32))
            masks.append(torch.as_tensor(~(term | trunc), dtype=torch.float32))
            berthed += int(term.sum())
        with torch.no_grad():
            _, ret = net(torch.as_tensor(obs))
        returns = []
        for r, m in zip(reversed(rewards), reversed(masks)):
            ret = r + hp.gamma * ret * m
            returns.append(ret)
        returns = torch.stack(returns[::-1])
        values = torch.stack(values)
        adv = returns - values
        loss = -(torch.stack(logps) * adv.detach()).mean() + 0.5 * adv.pow(2).mean() - 0.01 * torch.stack(entropies).mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        opt.step()
        if update % 10 == 9:
            print(f"update {update + 1:3d}  loss {loss.item():+.5f}  reward {torch.stack(rewards).mean().item():+.4f}  berthed {berthed}")
    envs.close()
    print(f"{time.monotonic() - began:.1f} s under way")
    torch.save(net.state_dict(), "tug.pt")


if __name__ == "__main__":
    main()

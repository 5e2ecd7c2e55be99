"""Deterministic policy gradient with target networks."""

import copy

import torch
from torch import nn


def mlp(n_in, n_out, width=64, last=None):
    layers = [nn.Linear(n_in, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(),
              nn.Linear(width, n_out)]
    return nn.Sequential(*layers, *([last] if last else []))


class Agent:
    def __init__(self, n_obs, n_act, gamma=0.97, tau=0.02):
        self.actor = mlp(n_obs, n_act, last=nn.Tanh())
        self.critic = mlp(n_obs + n_act, 1)
        self.actor_target = copy.deepcopy(self.actor)
        self.critic_target = copy.deepcopy(self.critic)
        self.actor_opt = torch.optim.Adam(self.actor.parameters(), lr=1e-3)
        self.critic_opt = torch.optim.Adam(self.critic.parameters(), lr=2e-3)
        self.gamma, self.tau = gamma, tau

    @torch.no_grad()
    def act(self, obs, noise=0.0):
        action = self.actor(torch.as_tensor(obs))
        return (action + noise * torch.randn_like(action)).clamp(-1, 1).numpy()

    def update(self, obs, act, rew, nxt):
        with torch.no_grad():
            ahead = torch.cat([nxt, self.actor_target(nxt)], dim=1)
            target = rew + self.gamma * self.critic_target(ahead)
        critic_loss = nn.functional.mse_loss(self.critic(torch.cat([obs, act], dim=1)), target)
        self.critic_opt.zero_grad()
        critic_loss.backward()
        self.critic_opt.step()

        actor_loss = -self.critic(torch.cat([obs, self.actor(obs)], dim=1)).mean()
        self.actor_opt.zero_grad()
        actor_loss.backward()
        self.actor_opt.step()

        with torch.no_grad():
            for net, slow in ((self.actor, self.actor_target), (self.critic, self.critic_target)):
                for p, q in zip(net.parameters(), slow.parameters()):
                    q.lerp_(p, self.tau)
        return critic_loss.item()

import torch
from torch import nn
from torch.distributions import Categorical


class Dispatcher(nn.Module):
    """Shared trunk, one head for the action and one for the value."""

    def __init__(self, n_in, n_actions, width=48):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(n_in, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh())
        self.policy = nn.Linear(width, n_actions)
        self.value = nn.Linear(width, 1)
        nn.init.orthogonal_(self.policy.weight, gain=0.01)

    def forward(self, obs):
        hidden = self.trunk(obs)
        return Categorical(logits=self.policy(hidden)), self.value(hidden).squeeze(-1)

    @torch.no_grad()
    def act(self, obs, greedy=False):
        dist, value = self(obs)
        action = dist.probs.argmax(-1) if greedy else dist.sample()
        return action, value

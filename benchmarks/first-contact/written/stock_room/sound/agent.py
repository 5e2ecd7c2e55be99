import torch
from torch import nn
from torch.distributions import Categorical


class Buyer(nn.Module):
    """One choice of lot for each of the goods, and an estimate of what is still to earn."""

    def __init__(self, inputs, goods, lots, width=48):
        super().__init__()
        self.goods, self.lots = goods, lots
        self.body = nn.Sequential(nn.Linear(inputs, width), nn.Tanh(),
                                  nn.Linear(width, width), nn.Tanh())
        self.policy = nn.Linear(width, goods * lots)
        self.value = nn.Linear(width, 1)

    def forward(self, views):
        hidden = self.body(views)
        logits = self.policy(hidden).view(-1, self.goods, self.lots)
        return Categorical(logits=logits), self.value(hidden).squeeze(-1)

    @torch.no_grad()
    def best(self, view):
        choice, _ = self(torch.tensor(view).unsqueeze(0))
        return choice.probs.argmax(-1)[0].tolist()


def returns_of(rewards, last, discount=0.85):
    out, running = [], last
    for reward in reversed(rewards):
        running = reward + discount * running
        out.append(running)
    return torch.stack(out[::-1])

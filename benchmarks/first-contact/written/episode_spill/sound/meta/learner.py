"""First-order MAML."""
import torch
from torch import nn
from torch.func import functional_call


def network(width=40):
    return nn.Sequential(nn.Linear(1, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))


class Maml:
    def __init__(self, net, inner_lr=0.03, inner_steps=2, lr=2e-3):
        self.net, self.inner_lr, self.inner_steps = net, inner_lr, inner_steps
        self.optimizer = torch.optim.Adam(net.parameters(), lr=lr)

    def adapt(self, sx, sy):
        weights = dict(self.net.named_parameters())
        for _ in range(self.inner_steps):
            loss = nn.functional.mse_loss(functional_call(self.net, weights, (sx,)), sy)
            grads = torch.autograd.grad(loss, list(weights.values()))
            weights = {k: w - self.inner_lr * g for (k, w), g in zip(weights.items(), grads)}
        return weights

    def query_loss(self, episode):
        episode = {k: torch.from_numpy(v) for k, v in episode.items()}
        weights = self.adapt(episode["sx"], episode["sy"])
        return nn.functional.mse_loss(functional_call(self.net, weights, (episode["qx"],)), episode["qy"])

    def step(self, episodes):
        self.optimizer.zero_grad()
        loss = torch.stack([self.query_loss(e) for e in episodes]).mean()
        loss.backward()
        self.optimizer.step()
        return loss.item()

import torch
from torch import nn


class Taste(nn.Module):
    """Listeners and shows as vectors; a show also has a popularity."""

    def __init__(self, listeners, shows, width):
        super().__init__()
        self.listener = nn.Embedding(listeners, width)
        self.show = nn.Embedding(shows, width)
        self.popularity = nn.Embedding(shows, 1)
        for table in (self.listener, self.show):
            nn.init.normal_(table.weight, std=0.1)
        nn.init.zeros_(self.popularity.weight)

    def forward(self, listener, show):
        product = (self.listener(listener) * self.show(show)).sum(-1)
        return product + self.popularity(show).squeeze(-1)

    @torch.no_grad()
    def all_scores(self):
        return self.listener.weight @ self.show.weight.T + self.popularity.weight.T


def hit_rate(model, train, test, top=10):
    """How often a held-out show is among the first ones in the queue."""
    scores = model.all_scores()
    scores[train[:, 0], train[:, 1]] = -1e9
    queue = scores.topk(top).indices
    return (queue[test[:, 0]] == test[:, 1:]).any(1).float().mean().item()

import torch
from torch import nn


class NextStop(nn.Module):
    """Scores every stop that is still open; the driver goes to the best one."""

    def __init__(self, features, width, dropout):
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(features, width), nn.ReLU())
        self.mix = nn.MultiheadAttention(width, 4, dropout=dropout, batch_first=True)
        self.score = nn.Sequential(nn.Linear(2 * width, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, x, closed):
        h = self.embed(x)
        mixed, _ = self.mix(h, h, h, key_padding_mask=closed, need_weights=False)
        scores = self.score(torch.cat([h, mixed], -1)).squeeze(-1)
        return scores.masked_fill(closed, float("-inf"))


def describe(district, here, closed):
    """Per stop: offset from here, distance from here and from the depot, room to its nearest open stop."""
    places, km = torch.as_tensor(district.places), torch.as_tensor(district.km)
    open_km = km.masked_fill(closed[None, :], 9.0).fill_diagonal_(9.0)
    nearest = open_km.min(1).values.clamp(max=1.0)
    offset = places - places[here]
    return torch.cat([offset, km[here][:, None], km[0][:, None], nearest[:, None]], 1).float()

"""Prototypical network on valve outlines."""
import torch
import torch.nn.functional as F
from torch import nn


class OutlineEncoder(nn.Module):
    def __init__(self, width: int = 32, dim: int = 24):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Conv1d(2 if i == 0 else width, width, 5, padding=2, padding_mode="circular") for i in range(3)
        )
        self.norms = nn.ModuleList(nn.BatchNorm1d(width) for _ in range(3))
        self.out = nn.Linear(width * 8, dim)

    def forward(self, x):
        for layer, norm in zip(self.layers, self.norms):
            x = F.max_pool1d(F.gelu(norm(layer(x))), 2)
        return self.out(x.flatten(1))


def episode_logits(encoder, support, query):
    way, shot = support.shape[:2]
    n_query = query.shape[1]
    flat = torch.cat([support.flatten(0, 1), query.flatten(0, 1)])
    code = encoder(flat)
    prototypes = code[: way * shot].view(way, shot, -1).mean(1)
    distance = torch.cdist(code[way * shot :], prototypes, compute_mode="donot_use_mm_for_euclid_dist")
    target = torch.arange(way).repeat_interleave(n_query)
    return -distance.square(), target

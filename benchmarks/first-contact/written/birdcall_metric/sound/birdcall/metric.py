import torch
import torch.nn.functional as F
from torch import nn


class Encoder(nn.Module):
    def __init__(self, bands, width=48, dim=12):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(bands, width), nn.LayerNorm(width), nn.SiLU(), nn.Linear(width, dim))

    def forward(self, x):
        return F.normalize(self.body(x), dim=-1)


def triplet_loss(anchor, positive, negative, margin):
    near = (anchor - positive).square().sum(-1)
    far = (anchor - negative).square().sum(-1)
    return F.relu(near - far + margin).mean()


def recall_at_1(z, species):
    similarity = z @ z.T
    similarity.fill_diagonal_(-2)
    return (species[similarity.argmax(1)] == species).float().mean().item()

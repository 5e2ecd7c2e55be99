import torch
from torch import nn
from torch_geometric.nn import SAGEConv


class LinkModel(nn.Module):
    """Encodes species from their neighbours; scores (predator, prey) pairs with a small perceptron."""

    def __init__(self, features, hidden, out):
        super().__init__()
        self.first = SAGEConv(features, hidden)
        self.second = SAGEConv(hidden, out)
        self.norm = nn.LayerNorm(hidden)
        self.score = nn.Sequential(nn.Linear(2 * out, hidden), nn.ReLU(), nn.Dropout(0.1), nn.Linear(hidden, 1))

    def encode(self, x, edge_index):
        h = self.norm(self.first(x, edge_index)).relu()
        return self.second(h, edge_index)

    def decode(self, z, pairs):
        return self.score(torch.cat([z[pairs[0]], z[pairs[1]]], dim=-1)).squeeze(-1)

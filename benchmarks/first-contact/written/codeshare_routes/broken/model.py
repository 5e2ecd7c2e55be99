import torch
from torch import nn
from torch_geometric.nn import SAGEConv


class RouteModel(nn.Module):
    def __init__(self, n_in, width=48):
        super().__init__()
        self.first = SAGEConv(n_in, width)
        self.second = SAGEConv(width, width)
        self.score = nn.Sequential(nn.Linear(width, 24), nn.ReLU(), nn.Linear(24, 1))

    def encode(self, x, edge_index):
        h = self.first(x, edge_index).relu()
        h = nn.functional.dropout(h, 0.2, self.training)
        return self.second(h, edge_index)

    def decode(self, z, pairs):
        return self.score(z[pairs[0]] * z[pairs[1]]).squeeze(-1)

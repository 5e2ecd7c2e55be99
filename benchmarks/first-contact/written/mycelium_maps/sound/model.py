"""GraphSAGE over hyphal links, with a share of the links left out in each pass."""
import torch
import torch.nn.functional as F
from torch import nn
from torch_geometric.nn import SAGEConv


class GenetNet(nn.Module):
    def __init__(self, features: int, genets: int, hidden: int = 48, drop_links: float = 0.3):
        super().__init__()
        self.first = SAGEConv(features, hidden)
        self.second = SAGEConv(hidden, hidden)
        self.out = nn.Linear(2 * hidden, genets)
        self.drop_links = drop_links

    def forward(self, x, edge_index):
        if self.training:
            stay = torch.rand(edge_index.size(1)) >= self.drop_links
            edge_index = edge_index[:, stay]
        h1 = F.relu(self.first(x, edge_index))
        h1 = F.dropout(h1, 0.3, self.training)
        h2 = F.relu(self.second(h1, edge_index))
        return self.out(torch.cat([h1, h2], dim=1))

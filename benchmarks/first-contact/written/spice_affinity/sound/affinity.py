import torch
from torch import nn
from torch_geometric.nn import SAGEConv


class AffinityNet(nn.Module):
    """GraphSAGE encoder; two spices go together if their codes do."""

    def __init__(self, inputs, width=48, codes=24, dropout=0.2):
        super().__init__()
        self.first = SAGEConv(inputs, width)
        self.second = SAGEConv(width, codes)
        self.dropout = nn.Dropout(dropout)

    def encode(self, x, edge_index):
        hidden = self.dropout(self.first(x, edge_index).relu())
        return self.second(hidden, edge_index)

    def forward(self, x, edge_index, pairs):
        codes = self.encode(x, edge_index)
        return (codes[pairs[0]] * codes[pairs[1]]).sum(dim=-1)

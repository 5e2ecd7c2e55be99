import torch
from torch import nn


class SageLayer(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.own = nn.Linear(cin, cout)
        self.near = nn.Linear(cin, cout, bias=False)

    def forward(self, x, edges):
        target, source, weight = edges
        mean = torch.zeros_like(x).index_add(0, target, x[source] * weight[:, None])
        return self.own(x) + self.near(mean)


class Sage(nn.Module):
    def __init__(self, width, hidden, classes):
        super().__init__()
        self.first = SageLayer(width, hidden)
        self.second = SageLayer(hidden, classes)
        self.drop = nn.Dropout(0.3)

    def forward(self, block):
        h = self.drop(torch.relu(self.first(block.rows, block.layers[0])))
        return self.second(h, block.layers[1])[:block.seeds]

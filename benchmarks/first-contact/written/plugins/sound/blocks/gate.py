import torch
from torch import nn

from .registry import block


@block
class Gate(nn.Module):
    def __init__(self, width, shrink=2):
        super().__init__()
        self.squeeze = nn.Linear(width, width // shrink)
        self.excite = nn.Linear(width // shrink, width)

    def forward(self, x):
        scale = torch.sigmoid(self.excite(torch.relu(self.squeeze(x.mean(-1)))))
        return x * scale.unsqueeze(-1)

import torch
from torch import nn


class InverseDynamics(nn.Module):
    def __init__(self, joints, hidden):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(4 * joints, hidden),
            nn.SiLU(),
            nn.Dropout(0.05),
            nn.Linear(hidden, hidden),
            nn.SiLU(),
        )
        self.heads = nn.ModuleList(nn.Linear(hidden, 1) for _ in range(joints))

    def forward(self, x):
        features = self.body(x)
        return torch.cat([head(features) for head in self.heads], dim=1)

import torch
from torch import nn


class DriftNet(nn.Module):
    def __init__(self, channels, hidden, dropout):
        super().__init__()
        self.conv = nn.Conv1d(channels, hidden, 5, padding=2)
        self.gru = nn.GRU(hidden, hidden, batch_first=True)
        self.drop = nn.Dropout(dropout)
        self.head = nn.Linear(hidden, channels)

    def forward(self, x):
        h = torch.relu(self.conv(x.transpose(1, 2))).transpose(1, 2)
        h, _ = self.gru(self.drop(h))
        return self.head(self.drop(h[:, -1]))

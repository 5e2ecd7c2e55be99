import torch
from torch import nn


class RingFiller(nn.Module):
    """Fills hidden rings from their neighbours; the second channel says what is hidden."""

    def __init__(self, channels=24):
        super().__init__()
        self.enter = nn.Conv1d(2, channels, 5, padding=2)
        self.body = nn.ModuleList(
            nn.Conv1d(channels, channels, 5, padding=2 * step, dilation=step)
            for step in (1, 2, 4)
        )
        self.drop = nn.Dropout(0.1)
        self.leave = nn.Conv1d(channels, 1, 1)

    def forward(self, values, hidden):
        seen = values.masked_fill(hidden, 0.0)
        x = torch.relu(self.enter(torch.stack([seen, hidden.float()], dim=1)))
        for layer in self.body:
            x = x + self.drop(torch.relu(layer(x)))
        return self.leave(x).squeeze(1)

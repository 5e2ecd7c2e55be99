from torch import nn


class Drift(nn.Module):
    def __init__(self, inputs=7, width=48):
        super().__init__()
        self.memory = nn.GRU(inputs, width, batch_first=True)
        self.head = nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 2))

    def forward(self, x):
        _, last = self.memory(x)
        return self.head(last[0])

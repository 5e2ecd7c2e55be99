from torch import nn

from pixels import CHANNELS


class SmoulderNet(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.gru = nn.GRU(CHANNELS, width, batch_first=True)
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        _, last = self.gru(x.transpose(1, 2))
        return self.out(last[0]).squeeze(1)

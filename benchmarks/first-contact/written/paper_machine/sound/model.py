from torch import nn


class ReelNet(nn.Module):
    def __init__(self, probes, width=64):
        super().__init__()
        self.enter = nn.Linear(probes, width)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.SiLU(), nn.Dropout(0.05),
                          nn.Linear(width, width)) for _ in range(2))
        self.leave = nn.Linear(width, 1)

    def forward(self, x):
        x = self.enter(x)
        for block in self.blocks:
            x = x + block(x)
        return self.leave(x).squeeze(-1)

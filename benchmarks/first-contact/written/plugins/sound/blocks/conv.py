from torch import nn

from .registry import block


@block
class Conv(nn.Module):
    def __init__(self, width, kernel=3, groups=1):
        super().__init__()
        self.body = nn.Sequential(nn.Conv1d(width, width, kernel, padding=kernel // 2, groups=groups),
                                  nn.GroupNorm(2, width), nn.SiLU())

    def forward(self, x):
        return x + self.body(x)

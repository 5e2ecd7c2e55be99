from torch import nn


class Residual(nn.Module):
    def __init__(self, width, dilation):
        super().__init__()
        self.inner = nn.Sequential(
            nn.Conv1d(width, width, 5, padding=2 * dilation, dilation=dilation),
            nn.GroupNorm(4, width),
            nn.ReLU(),
            nn.Conv1d(width, width, 1),
        )

    def forward(self, x):
        return x + self.inner(x)


class StrokeNet(nn.Sequential):
    def __init__(self, channels, kinds, width=24):
        super().__init__(
            nn.Conv1d(channels, width, 5, stride=2, padding=2),
            *(Residual(width, dilation) for dilation in (1, 2, 4)),
            nn.AdaptiveAvgPool1d(1),
            nn.Flatten(),
            nn.Dropout(0.2),
            nn.Linear(width, kinds),
        )

import torch
from torch import nn


class MixedConv(nn.Module):
    """The weighted sum of depthwise-separable convolutions of several kernel widths."""

    def __init__(self, width, kernels):
        super().__init__()
        self.candidates = nn.ModuleList(
            nn.Sequential(
                nn.Conv1d(width, width, k, padding=k // 2, groups=width),
                nn.Conv1d(width, width, 1),
            )
            for k in kernels
        )
        self.norm = nn.BatchNorm1d(width)

    def forward(self, x, mix):
        y = sum(m * conv(x) for m, conv in zip(mix, self.candidates))
        return torch.relu(self.norm(y)) + x


class SearchNet(nn.Module):
    kernels = (3, 7, 11, 15)

    def __init__(self, channels, width, depth, classes):
        super().__init__()
        self.stem = nn.Conv1d(channels, width, 1)
        self.layers = nn.ModuleList(MixedConv(width, self.kernels) for _ in range(depth))
        self.head = nn.Linear(width, classes)
        self.alpha = nn.Parameter(1e-2 * torch.randn(depth, len(self.kernels)))
        self.width = width

    def weights(self):
        return [p for name, p in self.named_parameters() if name != "alpha"]

    def forward(self, x):
        x = self.stem(x)
        for layer, mix in zip(self.layers, self.alpha.softmax(dim=1)):
            x = layer(x, mix)
        return self.head(x.mean(-1))

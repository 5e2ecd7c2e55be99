from torch import nn


class BearingNet(nn.Module):
    def __init__(self, sides, width=16):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(4, width, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(width, width, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d((2, 6)),
            nn.Flatten(), nn.Dropout(0.2), nn.Linear(12 * width, sides),
        )

    def forward(self, x):
        return self.layers(x)

from torch import nn


def block(c_in, c_out):
    return nn.Sequential(
        nn.Conv1d(c_in, c_out, 7, stride=2, padding=3, bias=False),
        nn.BatchNorm1d(c_out),
        nn.ReLU(inplace=True),
    )


class WearNet(nn.Module):
    def __init__(self, n_classes=4, width=16):
        super().__init__()
        self.stem = block(1, width)
        self.trunk = nn.Sequential(block(width, 2 * width), block(2 * width, 2 * width))
        self.head = nn.Sequential(
            nn.AdaptiveAvgPool1d(4), nn.Flatten(), nn.Dropout(0.3), nn.Linear(8 * width, n_classes)
        )

    def forward(self, x):
        return self.head(self.trunk(self.stem(x)))

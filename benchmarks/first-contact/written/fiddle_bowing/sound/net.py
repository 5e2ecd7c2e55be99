from torch import nn


def block(inputs, outputs):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1, bias=False),
        nn.BatchNorm2d(outputs), nn.ReLU(), nn.MaxPool2d(2),
    )


class BowNet(nn.Module):
    def __init__(self, classes, width=8):
        super().__init__()
        self.features = nn.Sequential(block(1, width), block(width, 2 * width), block(2 * width, 2 * width))
        self.head = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.2),
                                  nn.Linear(2 * width, classes))

    def forward(self, x):
        return self.head(self.features(x))

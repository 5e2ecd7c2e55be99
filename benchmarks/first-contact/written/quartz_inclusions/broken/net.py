from torch import nn


class InclusionNet(nn.Module):
    def __init__(self, kinds, width=12):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(width, 2 * width, 3, padding=1, bias=False), nn.BatchNorm2d(2 * width), nn.ReLU(),
            nn.MaxPool2d(2), nn.Dropout2d(0.1),
        )
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(2 * width * 36, 48), nn.ReLU(),
                                  nn.Dropout(0.3), nn.Linear(48, kinds))

    def forward(self, x):
        return self.head(self.stem(x))

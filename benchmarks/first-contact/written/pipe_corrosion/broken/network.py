from torch import nn


def block(inputs, outputs):
    return nn.Sequential(
        nn.Conv1d(inputs, outputs, 7, stride=2, padding=3), nn.BatchNorm1d(outputs), nn.ReLU(), nn.MaxPool1d(2)
    )


class WallNet(nn.Module):
    def __init__(self, grades, width=12):
        super().__init__()
        self.body = nn.Sequential(block(2, width), block(width, 2 * width), nn.AdaptiveAvgPool1d(8), nn.Flatten())
        self.head = nn.Sequential(nn.Dropout(0.1), nn.Linear(16 * width, 48), nn.ReLU(), nn.Linear(48, grades))

    def forward(self, scans):
        return self.head(self.body(scans))

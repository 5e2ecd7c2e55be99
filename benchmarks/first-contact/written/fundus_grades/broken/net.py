from torch import nn


class GradeNet(nn.Module):
    def __init__(self, width=12, grades=4):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(width, 2 * width, 3, padding=1), nn.BatchNorm2d(2 * width), nn.ReLU(), nn.MaxPool2d(2),
            nn.Dropout2d(0.1),
        )
        self.head = nn.Sequential(
            nn.Flatten(), nn.Linear(2 * width * 7 * 7, 48), nn.ReLU(), nn.Dropout(0.3), nn.Linear(48, grades),
        )

    def forward(self, x):
        return self.head(self.stem(x))

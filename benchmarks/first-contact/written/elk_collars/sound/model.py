from torch import nn


class BehaviourNet(nn.Module):
    def __init__(self, classes, width=24, dropout=0.2):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(3, width, 5, padding=2), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(width, width, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool1d(4),
        )
        self.head = nn.Sequential(nn.Flatten(), nn.Dropout(dropout), nn.Linear(width * 4, classes))

    def forward(self, x):
        return self.head(self.body(x))

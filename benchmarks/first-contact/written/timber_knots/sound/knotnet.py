from einops.layers.torch import Rearrange
from torch import nn


class KnotNet(nn.Module):
    def __init__(self, grades, width=16):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(width, 2 * width, 3, padding=1), nn.BatchNorm2d(2 * width), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(2 * width, 2 * width, 3, padding=1), nn.ReLU(), nn.AdaptiveMaxPool2d(2),
        )
        self.head = nn.Sequential(
            Rearrange("b c h w -> b (c h w)"), nn.Dropout(0.25), nn.Linear(8 * width, grades),
        )

    def forward(self, images):
        return self.head(self.features(images))

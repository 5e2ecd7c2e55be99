import torch
from torch import nn


class FaultNet(nn.Module):
    def __init__(self, kinds, width=10):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, width, 5, stride=2, padding=2), nn.BatchNorm2d(width), nn.ReLU())
        self.middle = nn.Sequential(nn.Conv2d(width, 2 * width, 3, padding=1), nn.BatchNorm2d(2 * width), nn.ReLU())
        self.head = nn.Linear(4 * width, kinds)

    def forward(self, images):
        maps = self.middle(self.stem(images))
        pooled = torch.cat([maps.mean(dim=(2, 3)), maps.amax(dim=(2, 3))], dim=1)
        return self.head(pooled)


class Average:
    """Exponential moving average of the weights, used for evaluation."""

    def __init__(self, model, decay=0.9):
        self.decay = decay
        self.state = {name: value.clone() for name, value in model.state_dict().items()}

    @torch.no_grad()
    def update(self, model):
        for name, value in model.state_dict().items():
            if value.is_floating_point():
                self.state[name].lerp_(value, 1.0 - self.decay)
            else:
                self.state[name].copy_(value)

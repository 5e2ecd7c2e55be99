from torch import nn

from patches import KINDS


def crack_net(width=16):
    return nn.Sequential(
        nn.Conv2d(1, width, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(width, 2 * width, 3, padding=1), nn.ReLU(), nn.AdaptiveMaxPool2d(3),
        nn.Flatten(), nn.Dropout(0.1), nn.Linear(2 * width * 9, len(KINDS)))

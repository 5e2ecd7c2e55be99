from torch import nn

from recordings import KINDS


def block(inputs, outputs):
    return nn.Sequential(
        nn.Conv1d(inputs, outputs, 7, stride=2, padding=3, bias=False), nn.BatchNorm1d(outputs), nn.ReLU()
    )


class DefectNet(nn.Sequential):
    def __init__(self, width=8):
        super().__init__(
            block(1, width),
            block(width, 2 * width),
            block(2 * width, 2 * width),
            nn.AdaptiveMaxPool1d(4),
            nn.Flatten(),
            nn.Linear(8 * width, len(KINDS)),
        )

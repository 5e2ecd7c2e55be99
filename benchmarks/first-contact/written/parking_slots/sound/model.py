from torch import nn


class SlotNet(nn.Module):
    def __init__(self, widths, activation, classes):
        super().__init__()
        first, second = widths
        self.conv1 = nn.Conv2d(3, first, 5, stride=2, padding=2)
        self.conv2 = nn.Conv2d(first, second, 3, padding=1)
        self.norm = nn.BatchNorm2d(second)
        self.head = nn.Linear(second * 4, classes)
        self.pool, self.corners = nn.MaxPool2d(2), nn.AdaptiveMaxPool2d(2)
        self.activation = activation

    def forward(self, views):
        x = self.pool(self.activation(self.conv1(views)))
        x = self.pool(self.activation(self.norm(self.conv2(x))))
        return self.head(self.corners(x).flatten(1))

from torch import nn


def teacher_net(classes):
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Dropout(0.3), nn.Linear(32 * 9, 64), nn.ReLU(), nn.Linear(64, classes),
    )


def student_net(classes):
    return nn.Sequential(
        nn.Conv2d(1, 4, 3, stride=2, padding=1), nn.ReLU(),
        nn.Conv2d(4, 6, 3, stride=2, padding=1), nn.ReLU(),
        nn.Flatten(), nn.Linear(6 * 9, classes),
    )

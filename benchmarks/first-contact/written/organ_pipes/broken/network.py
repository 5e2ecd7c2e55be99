from torch import nn


def stop_classifier(n_classes):
    return nn.Sequential(
        nn.Unflatten(1, (1, 256)),
        nn.Conv1d(1, 12, kernel_size=7, stride=2, padding=3),
        nn.BatchNorm1d(12),
        nn.ReLU(),
        nn.Conv1d(12, 24, kernel_size=5, stride=2, padding=2),
        nn.BatchNorm1d(24),
        nn.ReLU(),
        nn.AdaptiveAvgPool1d(16),
        nn.Flatten(),
        nn.Dropout(0.3),
        nn.Linear(24 * 16, 64),
        nn.ReLU(),
        nn.Dropout(0.3),
        nn.Linear(64, n_classes),
    )

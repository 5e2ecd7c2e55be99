from torch import nn


class Listener(nn.Module):
    """A small convolutional net from a log spectrum to a deviation."""

    def __init__(self, channels=12):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(1, channels, 9, stride=4), nn.ReLU(),
            nn.Conv1d(channels, 2 * channels, 7, stride=4), nn.ReLU(),
            nn.AdaptiveAvgPool1d(16), nn.Flatten(),
        )
        self.head = nn.Sequential(nn.Linear(32 * channels, 48), nn.ReLU(), nn.Dropout(0.1), nn.Linear(48, 1))

    def forward(self, spectra):
        return self.head(self.body(spectra[:, None])).squeeze(1)

from torch import nn


def denoiser(channels=16, depth=3, kernel=7):
    layers = [nn.Conv1d(1, channels, kernel, padding=kernel // 2), nn.GELU()]
    for _ in range(depth - 1):
        layers += [nn.Conv1d(channels, channels, kernel, padding=kernel // 2), nn.GELU()]
    return nn.Sequential(*layers, nn.Conv1d(channels, 1, 1))

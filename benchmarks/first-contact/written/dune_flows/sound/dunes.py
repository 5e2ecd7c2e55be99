"""Cross sections of barchan dunes from a lidar drone, as heights above the plain in metres."""
import torch

LENGTH = 16


def dune_profiles(count, seed):
    g = torch.Generator().manual_seed(seed)
    along = torch.linspace(0, 1, LENGTH)
    height = 1.0 + 2.5 * torch.rand(count, 1, generator=g)
    crest = 0.5 + 0.25 * torch.rand(count, 1, generator=g)
    stoss = (along / crest).clamp(0, 1) ** 1.5
    slip = (1 - (along - crest) / (0.9 - crest + 0.15)).clamp(0, 1)
    ripples = 0.04 * torch.sin(25 * along + 6.28 * torch.rand(count, 1, generator=g))
    heights = height * torch.where(along < crest, stoss, slip) + ripples
    return (heights * 20).round() / 20


def slip_angle(profiles):
    """The steepest descent along the wind, which sand does not exceed by much."""
    return (profiles[:, :-1] - profiles[:, 1:]).amax(1)

"""A mock survey: cut-outs of galaxies, expert classes, and what the volunteers clicked."""
import math
import random

import torch

CLASSES = ["elliptical", "spiral", "lenticular", "irregular", "merger"]
# who is taken for whom by volunteers
CONFUSED = {"elliptical": ["lenticular", "merger"], "spiral": ["irregular", "lenticular"],
            "lenticular": ["elliptical", "spiral"], "irregular": ["merger", "spiral"],
            "merger": ["irregular", "elliptical"]}
SIZE = 28


def draw(kind, g):
    axis = torch.linspace(-1, 1, SIZE)
    y, x = torch.meshgrid(axis, axis, indexing="ij")
    tilt = torch.rand((), generator=g) * math.pi
    x, y = x * tilt.cos() + y * tilt.sin(), y * tilt.cos() - x * tilt.sin()
    flat = 0.45 + 0.5 * torch.rand((), generator=g)
    r = (x.square() + (y / flat).square()).sqrt()
    if kind == "elliptical":
        img = torch.exp(-4.0 * r.sqrt())
    elif kind == "lenticular":
        img = torch.exp(-12.0 * r) + 0.35 * torch.exp(-3.0 * r)
    elif kind == "spiral":
        arms = torch.cos(2 * torch.atan2(y, x) - 9.0 * r)
        img = torch.exp(-3.0 * r) * (0.6 + 0.4 * arms)
    elif kind == "irregular":
        blobs = torch.randn(5, 2, generator=g) * 0.3
        img = sum(torch.exp(-30 * ((x - a).square() + (y - b).square())) for a, b in blobs) / 3
    else:
        shift = 0.25 + 0.2 * torch.rand((), generator=g)
        img = torch.exp(-7 * (x - shift).hypot(y)) + 0.8 * torch.exp(-7 * (x + shift).hypot(y))
    return img + 0.08 * torch.randn(SIZE, SIZE, generator=g)


def make_survey(n, volunteers, seed):
    g = torch.Generator().manual_seed(seed)
    clicks = random.Random(seed)
    images, truth, votes = [], [], []
    for _ in range(n):
        kind = clicks.choice(CLASSES)
        images.append(draw(kind, g))
        truth.append(CLASSES.index(kind))
        hard = clicks.random()
        votes.append([clicks.choice(CONFUSED[kind]) if clicks.random() < 0.6 * hard else kind
                      for _ in range(volunteers)])
    return torch.stack(images)[:, None], torch.tensor(truth), votes

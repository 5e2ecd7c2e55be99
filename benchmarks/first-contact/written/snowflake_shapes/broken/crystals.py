"""Images of ice crystals of four habits, and their augmentation."""
import math
import random

import numpy as np
import torch

HABITS = ("plate", "dendrite", "column", "stellar")
SIZE = 24


def crystal(habit, rng):
    ys, xs = np.mgrid[:SIZE, :SIZE] - (SIZE - 1) / 2
    radius, angle = np.hypot(xs, ys), np.arctan2(ys, xs) + rng.uniform(0, np.pi / 3)
    size = rng.uniform(6, 10)
    if habit == "plate":
        body = radius < size * (0.9 + 0.08 * np.cos(6 * angle))
    elif habit == "dendrite":
        body = (radius < size) & (np.abs(np.sin(3 * angle)) < 0.35 + 0.2 * np.cos(radius * 2))
    elif habit == "column":
        along = xs * math.cos(angle[0, 0]) + ys * math.sin(angle[0, 0])
        body = (np.abs(along) < size) & (radius**2 - along**2 < 6)
    else:
        body = radius < size * np.abs(np.cos(3 * angle)) ** 0.6
    return (body + rng.normal(0, 0.25, body.shape)).astype(np.float32)


def collection(count, seed):
    rng = np.random.default_rng(seed)
    labels = np.arange(count) % len(HABITS)
    images = np.stack([crystal(HABITS[label], rng) for label in labels])
    return torch.from_numpy(images)[:, None], torch.from_numpy(labels)


def augment(images):
    out = []
    for image in images:
        image = torch.rot90(image, random.randrange(4), (1, 2))
        if random.random() < 0.5:
            image = image.flip(2)
        image = image.roll((random.randint(-2, 2), random.randint(-2, 2)), (1, 2))
        out.append(image * random.uniform(0.7, 1.3))
    return torch.stack(out)

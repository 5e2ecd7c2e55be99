"""Pictures of solder joints, drawn for the purpose: 18 x 18 pixels, four kinds."""

from dataclasses import dataclass

import numpy as np
import torch

CLASSES = ("good", "bridge", "insufficient", "void")
SIZE = 18
ROWS, COLUMNS = np.mgrid[0:SIZE, 0:SIZE].astype(float)


@dataclass
class Split:
    images: torch.Tensor  # joints x 1 x SIZE x SIZE
    labels: torch.Tensor

    def __len__(self):
        return len(self.labels)


def draw_joint(kind, rng):
    row, column = SIZE / 2 + rng.normal(0.0, 0.9, size=2)
    radius = rng.uniform(4.4, 6.0)
    if kind == "insufficient":
        radius *= rng.uniform(0.60, 0.88)
    distance = np.hypot(ROWS - row, COLUMNS - column)
    picture = 1.0 / (1.0 + np.exp((distance - radius) / 0.8))
    if kind == "bridge":
        offset, width = rng.normal(0.0, 1.5), rng.uniform(0.7, 1.5)
        band = np.exp(-((ROWS - row - offset) ** 2) / (2.0 * width ** 2))
        picture = np.maximum(picture, rng.uniform(0.3, 0.8) * band)
    elif kind == "void":
        angle, reach = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(0.0, 3.0)
        down, right = reach * np.sin(angle), reach * np.cos(angle)
        hole = np.hypot(ROWS - row - down, COLUMNS - column - right)
        picture = picture - rng.uniform(0.25, 0.7) * np.exp(-(hole / 1.3) ** 2 / 2.0)
    lighting = rng.uniform(0.75, 1.15) + rng.normal(0.0, 0.01) * (COLUMNS - SIZE / 2)
    return picture * lighting + rng.normal(0.0, 0.14, size=picture.shape)


def make_split(count, seed):
    rng = np.random.default_rng(seed)
    labels = rng.choice(len(CLASSES), size=count, p=[0.46, 0.18, 0.18, 0.18])
    images = np.stack([draw_joint(CLASSES[label], rng) for label in labels])
    return Split(torch.tensor(images[:, None], dtype=torch.float32),
                 torch.tensor(labels, dtype=torch.int64))

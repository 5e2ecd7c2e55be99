"""Pictures of 12 x 12 pixels: one of several strokes patterns, shifted, blurred and noisy."""
import numpy as np
import torch

STROKES = [
    [(2, 2, 2, 9), (2, 9, 9, 9)],
    [(2, 2, 9, 2), (9, 2, 9, 9)],
    [(2, 5, 9, 5), (5, 2, 5, 9)],
    [(2, 2, 9, 9)],
    [(2, 9, 9, 2)],
    [(2, 2, 9, 9), (2, 9, 9, 2)],
    [(2, 2, 2, 9), (9, 2, 9, 9), (5, 2, 5, 9)],
    [(2, 2, 9, 2), (2, 9, 9, 9), (2, 5, 9, 5)],
]


def draw(strokes):
    canvas = np.zeros((12, 12))
    for y0, x0, y1, x1 in strokes:
        for t in np.linspace(0, 1, 24):
            canvas[round(y0 + t * (y1 - y0)), round(x0 + t * (x1 - x0))] = 1.0
    return canvas


class GlyphSet:
    def __init__(self, count, rng):
        masters = [draw(s) for s in STROKES]
        self.classes = len(masters)
        labels = rng.integers(0, self.classes, count)
        images = np.empty((count, 1, 12, 12), np.float32)
        for i, label in enumerate(labels):
            picture = np.roll(masters[label], rng.integers(-2, 3, 2), (0, 1))
            soft = picture + 0.5 * (np.roll(picture, 1, 0) + np.roll(picture, -1, 1))
            images[i, 0] = soft * rng.uniform(0.5, 1.2) + rng.normal(0, 0.45, (12, 12))
        self.images, self.labels = torch.from_numpy(images), torch.from_numpy(labels)

    def sample(self, size):
        pick = torch.randint(len(self.labels), (size,))
        return self.images[pick], self.labels[pick]

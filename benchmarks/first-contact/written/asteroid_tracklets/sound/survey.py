"""Two nights of a sky survey: moving asteroids, and things that are seen only once."""
import numpy as np


class Detection:
    """A source in one exposure: position (arc minutes), magnitude and width of its image."""

    __slots__ = ("night", "x", "y", "magnitude", "width")

    def __init__(self, night, x, y, magnitude, width):
        self.night = night
        self.x = x
        self.y = y
        self.magnitude = magnitude
        self.width = width

    def features(self):
        return [self.magnitude - 20, self.width, self.x / 300 - 1, self.y / 300 - 1]


def observe(asteroids, spurious, seed):
    rng = np.random.default_rng(seed)
    detections = []
    for _ in range(asteroids):
        x, y = rng.uniform(0, 600, 2)
        magnitude = rng.normal(20.5, 0.8)
        dx, dy = rng.normal(2.0, 0.5), rng.normal(-0.5, 0.3)
        for night in (0, 1):
            detections.append(Detection(night, x + night * dx, y + night * dy,
                                        magnitude + rng.normal(0, 0.1), rng.normal(1.4, 0.3)))
    for _ in range(spurious):
        x, y = rng.uniform(0, 600, 2)
        detections.append(Detection(int(rng.integers(0, 2)), x, y,
                                    rng.normal(21.0, 0.9), rng.normal(1.0, 0.4)))
    return [detections[i] for i in rng.permutation(len(detections))]

"""Underwater disturbances used as augmentation."""
import numpy as np


class Disturbance:
    def __init__(self, rng=None):
        self.rng = np.random.default_rng() if rng is None else rng


class Flip(Disturbance):
    def __call__(self, image):
        return image[:, :, ::-1] if self.rng.random() < 0.5 else image


class Turbidity(Disturbance):
    def __init__(self, depth, rng=None):
        super().__init__(rng)
        self.depth = depth

    def __call__(self, image):
        haze = np.exp(-self.rng.uniform(0, self.depth)).astype(np.float32)
        water = np.array([0.10, 0.35, 0.45], np.float32)[:, None, None]
        return image * haze + water * (1 - haze)


class Caustics(Disturbance):
    def __init__(self, strength, rng=None):
        super().__init__(rng)
        self.strength = strength

    def __call__(self, image):
        size = image.shape[-1]
        phase = self.rng.uniform(0, 2 * np.pi, 2)
        axis = np.arange(size, dtype=np.float32) / size * 12
        wave = np.sin(axis + phase[0])[:, None] * np.sin(axis + phase[1])[None, :]
        return image * (1 + self.strength * wave).astype(np.float32)


def training_chain(seed):
    flip, haze = np.random.default_rng(seed).spawn(2)
    return [Flip(flip), Turbidity(0.6, rng=haze), Caustics(0.15)]

"""Augmentations. They run in the loader's workers, and keep a stream of their own there."""
import numpy as np
from torch.utils.data import get_worker_info


def local_stream(tag):
    """A generator for one transform in one worker; copies in other workers must not repeat it."""
    info = get_worker_info()
    key = (0, tag) if info is None else (info.id + 1, tag)
    return np.random.default_rng(np.random.SeedSequence(spawn_key=key))


class Transform:
    tag = 0

    def __init__(self):
        self._rng = None

    @property
    def rng(self):
        if self._rng is None:
            self._rng = local_stream(self.tag)
        return self._rng


class StainJitter(Transform):
    tag = 1

    def __init__(self, strength):
        super().__init__()
        self.strength = strength

    def __call__(self, image):
        gain = self.rng.uniform(1 - self.strength, 1 + self.strength, (3, 1, 1))
        out = image * gain.astype(np.float32)
        return out[:, :, ::-1] if self.rng.random() < 0.5 else out


class RandomErase(Transform):
    tag = 2

    def __init__(self, side, p):
        super().__init__()
        self.side, self.p = side, p

    def __call__(self, image):
        if self.rng.random() >= self.p:
            return image
        top, left = self.rng.integers(0, image.shape[1] - self.side, 2)
        out = image.copy()
        out[:, top:top + self.side, left:left + self.side] = image.mean()
        return out

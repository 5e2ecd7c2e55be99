"""Thin sections of pottery sherds under the microscope, kept compressed in memory."""
import threading
import weakref
import zlib

import numpy as np
import torch

FABRICS = ("fine", "sandy", "shelly", "grog")
SIDE = 32


def photograph(fabric, rng):
    paste = rng.normal(1.0, 0.08) * np.array([128.0, 92.0, 70.0])
    picture = np.broadcast_to(paste, (SIDE, SIDE, 3)) + rng.normal(0, 16, (SIDE, SIDE, 3))
    yy, xx = np.mgrid[:SIDE, :SIDE]
    tint = np.array([[12, 10, 8], [60, 62, 60], [75, 70, 48], [46, -8, -14]], dtype=float)[fabric]
    for _ in range(rng.integers(3, 8)):
        cy, cx = rng.uniform(3, SIDE - 3, 2)
        size = rng.uniform(1.5, 4.0) if fabric != 3 else rng.uniform(3.0, 6.0)
        turn = rng.uniform(0, np.pi)
        along = (xx - cx) * np.cos(turn) + (yy - cy) * np.sin(turn)
        across = (yy - cy) * np.cos(turn) - (xx - cx) * np.sin(turn)
        flat = 4.0 if fabric == 2 else 1.2
        grain = np.exp(-((along / size) ** 2 + (across * flat / size) ** 2))
        picture = picture + grain[..., None] * tint * rng.uniform(0.3, 1.0)
    return np.clip(picture, 0, 255).astype(np.uint8)


class Sections:
    """Unpacks a photograph when it is asked for, unless it is still in use somewhere."""

    def __init__(self, count, seed):
        rng = np.random.default_rng(seed)
        self.fabrics = rng.choice(len(FABRICS), count, p=[0.4, 0.3, 0.2, 0.1])
        self._packed = [zlib.compress(photograph(f, rng).tobytes(), 6) for f in self.fabrics]
        self._rng = np.random.default_rng(seed + 1)
        self._in_use = weakref.WeakValueDictionary()
        self._lock = threading.Lock()

    def __len__(self):
        return len(self.fabrics)

    def _unpack(self, index):
        pixels = np.frombuffer(zlib.decompress(self._packed[index]), np.uint8)
        picture = torch.tensor(pixels.reshape(SIDE, SIDE, 3)).permute(2, 0, 1).float() / 255
        return picture - 0.4

    def _relight(self, picture):
        """As under another lamp."""
        gain = float(self._rng.uniform(0.75, 1.3))
        tint = torch.tensor(self._rng.normal(0, 0.03, (3, 1, 1)), dtype=torch.float32)
        return picture * gain + tint

    def plain(self, index):
        return self._unpack(index), int(self.fabrics[index])

    def relit(self, index):
        with self._lock:
            picture = self._in_use.get(index)
            if picture is None:
                picture = self._relight(self._unpack(index))
                self._in_use[index] = picture
        return picture, int(self.fabrics[index])

import numpy as np
import torch
from torch.utils.data import Dataset, get_worker_info

SIZE = 24
_yy, _xx = np.mgrid[:SIZE, :SIZE] - (SIZE - 1) / 2
_radius = np.hypot(_yy, _xx)
DISC = _radius <= SIZE / 2


def _draw(kind, rng):
    wafer = (rng.random((SIZE, SIZE)) < 0.06).astype(np.float32)
    if kind == 0:
        wafer[(_radius < rng.uniform(3, 6)) & (rng.random((SIZE, SIZE)) < 0.6)] = 1
    elif kind == 1:
        wafer[(_radius > rng.uniform(9, 10.5)) & (rng.random((SIZE, SIZE)) < 0.5)] = 1
    elif kind == 2:
        angle, offset = rng.uniform(0, np.pi), rng.uniform(-5, 5)
        line = np.abs(_xx * np.cos(angle) + _yy * np.sin(angle) - offset) < 1
        wafer[line & (rng.random((SIZE, SIZE)) < 0.7)] = 1
    else:
        wafer[rng.random((SIZE, SIZE)) < 0.15] = 1
    return wafer * DISC


class WaferMaps(Dataset):
    def __init__(self, n, seed, augment):
        rng = np.random.default_rng(seed)
        self.kinds = rng.integers(0, 4, n)
        self.maps = np.stack([_draw(k, rng) for k in self.kinds]).astype(np.float32)
        self.augment = augment
        self.rng = np.random.default_rng(seed)

    def __len__(self):
        return len(self.kinds)

    def __getitem__(self, i):
        wafer = self.maps[i]
        if self.augment:
            wafer = np.rot90(wafer, self.rng.integers(4))
            if self.rng.random() < 0.5:
                wafer = wafer[:, ::-1]
            dropped = self.rng.random(wafer.shape) < 0.03
            wafer = np.where(dropped, 0, wafer)
        wafer = np.ascontiguousarray(wafer, dtype=np.float32)
        return torch.from_numpy(wafer)[None], int(self.kinds[i])


def seed_worker(worker_id):
    # every worker holds a copy of the dataset: without this they would all draw the same flips
    info = get_worker_info()
    info.dataset.rng = np.random.default_rng([info.seed, worker_id])

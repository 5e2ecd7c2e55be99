from functools import partial

import numpy as np

from .parallel import starmap
from .scenes import render


def cut(number, base_seed, size):
    """All crops of one scene that do not overlap, each with its share of crop rows."""
    image, mask = render(number, base_seed)
    crops, shares = [], []
    for y in range(0, image.shape[0] - size + 1, size):
        for x in range(0, image.shape[1] - size + 1, size):
            crop = image[y:y + size, x:x + size]
            crops.append((crop - crop.mean()) / (crop.std() + 1e-6))
            shares.append(mask[y:y + size, x:x + size].mean())
    return np.stack(crops), np.array(shares, dtype=np.float32)


def build(scenes, base_seed, size=32, workers=None):
    crops, shares = [], []
    for c, s in starmap(partial(cut, base_seed=base_seed, size=size), range(scenes), workers, "cutting"):
        crops.append(c)
        shares.append(s)
    return np.concatenate(crops), np.concatenate(shares)

"""Synthetic post-fire scenes in the layout of our L2A archive: one uint16 array per scene, six bands and the burn mask."""

from pathlib import Path

import numpy as np

BANDS = ("B02", "B03", "B04", "B8A", "B11", "B12")
SIZE = 128

TRAIN_SCENES = (
    "T29SNC_20220721",
    "T29TPE_20220814",
    "T30TYK_20220719",
    "T31TFJ_20220806",
    "T33SVB_20210812",
    "T34SEH_20210809",
)
HELDOUT_SCENES = ("T29TNF_20220818", "T35SNC_20210804")

VEGETATION = np.array([0.03, 0.06, 0.04, 0.38, 0.19, 0.09], dtype=np.float32)
BARE_SOIL = np.array([0.09, 0.12, 0.16, 0.27, 0.32, 0.26], dtype=np.float32)
CHAR = np.array([0.05, 0.06, 0.07, 0.13, 0.24, 0.25], dtype=np.float32)


def _terrain(rng, octaves=4):
    """Multi-scale noise with zero mean and unit variance."""
    field = np.zeros((SIZE, SIZE), dtype=np.float32)
    for octave in range(octaves):
        cells = 4 * 2**octave
        block = SIZE // cells
        coarse = rng.standard_normal((cells, cells)).astype(np.float32)
        layer = np.repeat(np.repeat(coarse, block, axis=0), block, axis=1)
        for axis in (0, 1):
            layer = (layer + np.roll(layer, block // 2, axis) + np.roll(layer, -(block // 2), axis)) / 3.0
        field += layer / 1.7**octave
    return (field - field.mean()) / field.std()


def _burn_mask(rng, fuel):
    """Two to four fires; each spreads further where there is more fuel."""
    rows, cols = np.mgrid[0:SIZE, 0:SIZE].astype(np.float32)
    mask = np.zeros((SIZE, SIZE), dtype=bool)
    for _ in range(int(rng.integers(2, 5))):
        row, col = rng.uniform(12, SIZE - 12, 2)
        reach = rng.uniform(12, 30)
        stretch = rng.uniform(0.6, 1.6)
        distance = np.hypot(rows - row, (cols - col) * stretch)
        mask |= distance < reach * (1.0 + 0.35 * fuel)
    return mask


def make_scene(index):
    rng = np.random.default_rng([2022, index])
    fuel = _terrain(rng)
    cover = 1.0 / (1.0 + np.exp(-1.5 * fuel))
    mask = _burn_mask(rng, fuel)
    severity = np.clip(0.7 + 0.25 * _terrain(rng), 0.25, 1.0) * mask
    spectrum = VEGETATION[:, None, None] * cover + BARE_SOIL[:, None, None] * (1.0 - cover)
    spectrum = spectrum * (1.0 - severity) + CHAR[:, None, None] * severity
    haze = 0.02 * np.clip(_terrain(rng, octaves=2), 0.0, None)
    gain = np.array([1.0, 0.8, 0.6, 0.3, 0.15, 0.1], dtype=np.float32)
    spectrum = spectrum + gain[:, None, None] * haze
    spectrum = spectrum + 0.012 * rng.standard_normal(spectrum.shape)
    digital = np.clip(spectrum * 10000.0, 1, 12000).astype(np.uint16)
    return np.concatenate([digital, mask[None].astype(np.uint16)])


def write_scenes(folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for index, name in enumerate(TRAIN_SCENES + HELDOUT_SCENES):
        np.save(folder / f"{name}.npy", make_scene(index))

"""Descriptors of bimetallic catalyst surfaces. Each plate (a batch of compositions) is computed in a process of
its own and left as .npz files in a scratch folder of its own, so that no two processes write in one place."""
import tempfile
from pathlib import Path

import numpy as np

METALS = np.array([  # d-band centre, lattice constant, electronegativity, cohesive energy
    [-2.25, 3.92, 2.28, 5.84],   # Pt
    [-1.83, 3.89, 2.20, 3.89],   # Pd
    [-1.29, 3.52, 1.91, 4.44],   # Ni
    [-2.67, 3.61, 1.90, 3.49],   # Cu
    [-4.30, 4.09, 1.93, 2.95],   # Ag
    [-3.56, 4.08, 2.54, 3.81],   # Au
])
SITES = 36


def surface(rng, first, second, share):
    """A 6 x 6 slab: local d-band shifts by strain and by ligands, from the neighbours of each site."""
    kinds = np.where(rng.random((6, 6)) < share, first, second)
    local = METALS[kinds]
    around = sum(np.roll(local, shift, axis) for shift in (-1, 1) for axis in (0, 1)) / 4
    strain = (around[..., 1] - local[..., 1]) / local[..., 1]
    centre = local[..., 0] + 6.0 * strain + 0.4 * (around[..., 2] - local[..., 2])
    return centre, strain, local


def describe(rng):
    first, second = rng.choice(len(METALS), 2, replace=False)
    share = rng.uniform(0.05, 0.95)
    centre, strain, local = surface(rng, first, second, share)
    spectrum = np.histogram(centre, bins=12, range=(-5.5, -0.5))[0] / SITES
    row = np.concatenate([spectrum, [centre.mean(), centre.std(), strain.std(), share],
                          local.reshape(SITES, 4).mean(0)])
    adsorption = -0.6 + 0.35 * (centre.max() + 2.0) + 0.15 * np.tanh(3 * strain.sum())
    activity = -abs(adsorption + 0.24) - 0.05 * local[..., 3].mean()
    return row, activity + rng.normal(0, 0.02)


def compute_plate(job):
    plate, wells, seed, scratch = job
    rng = np.random.default_rng([seed, plate])
    rows, activity = zip(*(describe(rng) for _ in range(wells)))
    folder = Path(tempfile.mkdtemp(prefix="plate-", dir=scratch))
    np.savez(folder / f"descriptors_{plate:03d}.npz", x=np.array(rows, np.float32), y=np.array(activity, np.float32))
    return folder

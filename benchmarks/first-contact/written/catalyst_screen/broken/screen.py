import logging
import multiprocessing
import tempfile
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import torch

from descriptors import compute_plate

log = logging.getLogger(__name__)


def gather(folders):
    """All plates as one table."""
    files = sorted(path for folder in folders for path in folder.glob("*.npz"))
    parts = [np.load(path) for path in files]
    return np.concatenate([part["x"] for part in parts]), np.concatenate([part["y"] for part in parts])


def run_screen(plates, wells, seed, workers):
    with tempfile.TemporaryDirectory(prefix="screen-") as scratch:
        jobs = [(plate, wells, seed, scratch) for plate in range(plates)]
        context = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(workers, mp_context=context) as pool:
            folders = list(pool.map(compute_plate, jobs))
        log.info("%d plates under %s", len(folders), scratch)
        x, y = gather(folders)
    return torch.from_numpy(x), torch.from_numpy(y)

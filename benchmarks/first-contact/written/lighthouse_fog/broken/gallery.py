"""The training set, some of which is rendered anew before each epoch."""
import logging
import time
from concurrent.futures import ThreadPoolExecutor, wait

import torch
from torch.utils.data import Dataset

from scenes import SIZE, render

log = logging.getLogger("gallery")
PATIENCE = 0.3  # seconds


class Gallery(Dataset):
    def __init__(self, scenes: int, seed: int, threads: int = 3):
        self.seed, self.edition = seed, 0
        self.pictures = torch.zeros(scenes, 1, SIZE, SIZE)
        self.targets = torch.zeros(scenes)
        self.pool = ThreadPoolExecutor(threads)
        for scene, result in enumerate(self.pool.map(self._render, range(scenes))):
            self._hang(scene, result)

    def _render(self, scene: int):
        return render(scene, self.edition, self.seed)

    def _hang(self, scene: int, result):
        picture, target = result
        self.pictures[scene, 0] = torch.from_numpy(picture)
        self.targets[scene] = float(target)

    def refresh(self, share: int) -> str:
        """Render every share-th scene anew."""
        self.edition += 1
        began = time.monotonic()
        scenes = range(self.edition % share, len(self), share)
        futures = {scene: self.pool.submit(self._render, scene) for scene in scenes}
        done, late = wait(futures.values(), timeout=PATIENCE)
        log.info("%d of %d scenes late", len(late), len(futures))
        for scene, future in futures.items():
            if future in done:
                self._hang(scene, future.result())
            else:
                future.cancel()
        return f"{time.monotonic() - began:.2f} s"

    def __len__(self):
        return len(self.targets)

    def __getitem__(self, i):
        return self.pictures[i], self.targets[i]

    def close(self):
        self.pool.shutdown(cancel_futures=True)

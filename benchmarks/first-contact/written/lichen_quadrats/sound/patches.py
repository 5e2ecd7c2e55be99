"""Cuts square patches around annotated colonies."""
import logging
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch

log = logging.getLogger("patches")
PATCH = 32


def even_out(window: np.ndarray) -> np.ndarray:
    """Brings a window to medium brightness; the sun stood differently for every frame."""
    levels = window.astype(np.float32)
    gain = 120.0 / levels.mean()
    return np.clip(levels * gain, 0, 255).astype(window.dtype)


class PatchCutter:
    def __init__(self, frames, side: int = PATCH):
        self.frames = frames
        self.side = side
        self.clipped = 0
        self._lock = threading.Lock()

    def __call__(self, colony) -> np.ndarray:
        frame = self.frames[colony.frame]
        height, width, channels = frame.shape
        half = self.side // 2
        top, left = colony.row - half, colony.col - half
        r0, r1 = max(top, 0), min(top + self.side, height)
        c0, c1 = max(left, 0), min(left + self.side, width)
        if (r1 - r0, c1 - c0) == (self.side, self.side):
            return even_out(frame[r0:r1, c0:c1])
        with self._lock:
            self.clipped += 1
            log.debug("%s clips colony at %d,%d", threading.current_thread().name, colony.row, colony.col)
        patch = np.zeros((self.side, self.side, channels), dtype=frame.dtype)
        patch[r0 - top : r1 - top, c0 - left : c1 - left] = even_out(frame[r0:r1, c0:c1])
        return patch


def cut_all(frames, colonies, threads: int = 4) -> tuple[torch.Tensor, int]:
    cutter = PatchCutter(frames)
    with ThreadPoolExecutor(threads, thread_name_prefix="cutter") as pool:
        patches = list(pool.map(cutter, colonies, chunksize=1))
    return torch.from_numpy(np.stack(patches)).permute(0, 3, 1, 2).contiguous(), cutter.clipped


class Flips:
    """Random flips and quarter turns, drawn for a whole batch."""

    def __init__(self, seed: int):
        self.gen = torch.Generator().manual_seed(seed)

    def __call__(self, batch: torch.Tensor) -> torch.Tensor:
        turns = int(torch.randint(4, (), generator=self.gen))
        batch = torch.rot90(batch, turns, dims=(2, 3))
        if torch.rand((), generator=self.gen) < 0.5:
            batch = batch.flip(3)
        return batch


def to_float(patches: torch.Tensor) -> torch.Tensor:
    return patches.float().div_(127.5).sub_(1.0)

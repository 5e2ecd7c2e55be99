"""A queue that reduces raw exposures in the background."""
import random
import time
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np


def reduce_exposure(raw: np.ndarray, flat: np.ndarray, rounds: int = 6) -> np.ndarray:
    """Flat-fields a frame and clips cosmic rays against a running median of its neighbours."""
    frame = raw / flat
    for _ in range(rounds):
        shifted = np.stack([np.roll(frame, (dy, dx), (0, 1))
                            for dy in (-1, 0, 1) for dx in (-1, 0, 1)])
        middle = np.median(shifted, axis=0)
        spread = 1.5 * np.median(np.abs(shifted - middle), axis=0) + 1e-3
        frame = np.where(np.abs(frame - middle) > 6 * spread, middle, frame)
    return (frame - frame.mean()) / frame.std()


class ReductionQueue:
    def __init__(self, flat: np.ndarray, workers: int = 2, pause: float = 0.001):
        self.flat = flat
        self.pause = pause
        self.waits = random.Random()
        self.pool = ThreadPoolExecutor(workers, thread_name_prefix="reduce")

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.pool.shutdown()

    def submit(self, raw: np.ndarray) -> Future:
        return self.pool.submit(reduce_exposure, raw, self.flat)

    def wait(self, job: Future) -> np.ndarray:
        """Polls, with some jitter so that clients do not ask all at once."""
        pause = self.pause
        while not job.done():
            time.sleep(pause * self.waits.uniform(0.5, 1.5))
            pause = min(pause * 1.2, 0.004)
        return job.result()

"""Read the partitions of a book side by side, and learn how to scale its columns on the way."""
import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pandas as pd

from .book import NUMERIC

LOG = logging.getLogger("loans.scaling")


@dataclass
class Scale:
    centre: np.ndarray
    spread: np.ndarray

    def apply(self, frame):
        return (frame[NUMERIC].to_numpy(np.float32) - self.centre) / self.spread


@dataclass
class Partition:
    frame: pd.DataFrame
    count: int
    total: np.ndarray
    squares: np.ndarray


def read_partition(path):
    frame = pd.read_csv(path)
    values = frame[NUMERIC].to_numpy(np.float32)
    return Partition(frame, len(values), values.sum(0), np.square(values).sum(0))


class Loader:
    def __init__(self, paths, readers):
        self.paths, self.readers = paths, readers
        self.lock, self.done = threading.Lock(), 0

    def _progress(self, job):
        with self.lock:
            self.done += 1
            if self.done % 16 == 0:
                LOG.info("%d of %d partitions, the last one has %d rows", self.done, len(self.paths), job.result().count)

    def read(self):
        count = 0
        total = np.zeros(len(NUMERIC), np.float32)
        squares = np.zeros(len(NUMERIC), np.float32)
        with ThreadPoolExecutor(self.readers, thread_name_prefix="reader") as pool:
            jobs = [pool.submit(read_partition, path) for path in self.paths]
            for job in jobs:
                job.add_done_callback(self._progress)
            for job in jobs:
                part = job.result()
                count += part.count
                total += part.total
                squares += part.squares
        book = pd.concat([job.result().frame for job in jobs], ignore_index=True)
        centre = total / np.float32(count)
        spread = np.sqrt(np.maximum(squares / np.float32(count) - centre ** 2, np.float32(1e-12)))
        return book, Scale(centre, spread)

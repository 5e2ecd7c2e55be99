"""Writes snapshots of a model in the background so that training need not wait for the disk."""
import gzip
import pickle
import queue
import threading
from pathlib import Path

import torch


class SnapshotWriter:
    def __init__(self, folder: Path, level=6):
        self.folder = Path(folder)
        self.level = level
        self.jobs = queue.Queue(maxsize=4)
        self.failure = None
        self.thread = threading.Thread(target=self._work, name="snapshots", daemon=True)
        self.thread.start()

    def submit(self, step, model):
        state = {k: v.detach().clone() for k, v in model.state_dict().items()}
        self.jobs.put((step, state))

    def _work(self):
        while True:
            job = self.jobs.get()
            if job is None:
                return
            step, state = job
            try:
                part = self.folder / f"snap_{step:05d}.part"
                blob = pickle.dumps({k: v.numpy() for k, v in state.items()})
                part.write_bytes(gzip.compress(blob, self.level))
                part.rename(part.with_suffix(".pt.gz"))
            except OSError as e:
                self.failure = e

    def close(self):
        self.jobs.put(None)
        self.thread.join()
        if self.failure is not None:
            raise self.failure


def average(folder: Path, last):
    files = sorted(Path(folder).glob("snap_*.pt.gz"))[-last:]
    mean = None
    for path in files:
        with gzip.open(path, "rb") as f:
            state = {k: torch.from_numpy(v) for k, v in pickle.load(f).items()}
        if mean is None:
            mean = {k: v.double() for k, v in state.items()}
        else:
            for k, v in state.items():
                mean[k] += v.double()
    return {k: (v / len(files)).float() for k, v in mean.items()}

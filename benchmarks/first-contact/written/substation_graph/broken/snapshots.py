"""Snapshots of the weights, written by a thread so that training does not wait for the disk."""
import hashlib
import io
import lzma
import queue
import threading
import time
from pathlib import Path

import torch


class SnapshotWriter:
    def __init__(self, folder: Path):
        self.folder = folder
        self.jobs = queue.Queue(maxsize=2)
        self.seconds = 0.0
        self.thread = threading.Thread(target=self.work, name="snapshots", daemon=True)
        self.thread.start()

    def submit(self, step, model):
        weights = {name: value.detach().clone() for name, value in model.state_dict().items()}
        if not self.jobs.full():
            self.jobs.put((step, weights))

    def work(self):
        while (job := self.jobs.get()) is not None:
            step, weights = job
            began = time.perf_counter()
            buffer = io.BytesIO()
            torch.save(weights, buffer)
            packed = lzma.compress(buffer.getvalue(), preset=3)
            target = self.folder / f"step-{step:05d}.pt.xz"
            partial = target.with_suffix(".part")
            partial.write_bytes(packed)
            partial.rename(target)
            target.with_suffix(".sha").write_text(hashlib.sha256(packed).hexdigest())
            self.seconds += time.perf_counter() - began

    def close(self):
        self.jobs.put(None)
        self.thread.join()


def load(path: Path):
    packed = path.read_bytes()
    if hashlib.sha256(packed).hexdigest() != path.with_suffix(".sha").read_text():
        raise RuntimeError(f"{path} is damaged")
    return torch.load(io.BytesIO(lzma.decompress(packed)), weights_only=True)


def average(paths):
    total = None
    for path in sorted(paths):
        weights = load(path)
        total = weights if total is None else {name: total[name] + weights[name] for name in total}
    return {name: value / len(paths) for name, value in total.items()}

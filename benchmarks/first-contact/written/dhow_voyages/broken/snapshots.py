"""Snapshots of a model, written beside the training so that it need not wait."""

import gzip
import io
import queue
import threading
from pathlib import Path

import torch


class SnapshotWriter:
    def __init__(self, folder, keep=20):
        self.folder, self.keep = Path(folder), keep
        self.written = []
        self._failed = None
        self._jobs = queue.Queue()
        self._thread = threading.Thread(target=self._work, name="snapshots", daemon=True)
        self._thread.start()

    def _work(self):
        while (job := self._jobs.get()) is not None:
            step, state = job
            path = self.folder / f"step{step:06d}.pt.gz"
            try:
                buffer = io.BytesIO()
                torch.save({"step": step, "model": state}, buffer)
                path.write_bytes(gzip.compress(buffer.getvalue(), 6))
            except OSError as error:
                self._failed = error
                continue
            self.written.append(path)
            for old in self.written[:-self.keep]:
                old.unlink(missing_ok=True)

    def submit(self, step, model):
        state = {name: value.detach() for name, value in model.state_dict().items()}
        self._jobs.put((step, state))

    def close(self):
        self._jobs.put(None)
        self._thread.join()
        if self._failed:
            raise self._failed
        return self.written[-self.keep:]


def average(paths):
    """The mean of the snapshots' weights, in double precision."""
    total = {}
    for path in paths:
        with gzip.open(path) as stream:
            saved = torch.load(io.BytesIO(stream.read()), weights_only=True)
        for name, value in saved["model"].items():
            total[name] = total.get(name, 0) + value.double() / len(paths)
    return {name: value.float() for name, value in total.items()}

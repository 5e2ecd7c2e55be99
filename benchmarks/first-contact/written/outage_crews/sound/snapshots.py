"""Snapshots of a model, written beside training so that it need not wait for the disk."""
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch


class SnapshotWriter:
    def __init__(self, folder, keep=5):
        self.folder = Path(folder)
        self.keep = keep
        self.pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="snapshots")
        self.pending = []
        self.paths = []

    def save(self, model, step):
        """Queues a snapshot of the model as it is at this step."""
        path = self.folder / f"step-{step:06d}.npz"
        state = {name: value.detach().clone() for name, value in model.state_dict().items()}
        self.pending.append(self.pool.submit(self._write, state, path))
        self.paths.append(path)

    def _write(self, state, path):
        partial = path.with_suffix(".tmp")
        with open(partial, "wb") as stream:
            np.savez_compressed(stream, **{name: value.numpy() for name, value in state.items()})
        partial.replace(path)
        return path.stat().st_size

    def finish(self):
        """Waits for what is still being written; raises what went wrong there."""
        written = sum(job.result() for job in self.pending)
        self.pool.shutdown()
        return written

    def average(self):
        """The mean of the last snapshots, for stochastic weight averaging."""
        states = [np.load(path) for path in self.paths[-self.keep:]]
        return {name: torch.from_numpy(np.stack([state[name] for state in states]).mean(0)) for name in states[0]}

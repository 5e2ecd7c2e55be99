"""Snapshots are written by a thread, so that training does not wait for the disk."""
import hashlib
import io
import os
import queue
import threading
import time
from pathlib import Path

import torch

BURST = 0.1  # seconds; the disk is shared, so it is written to now and then


class SnapshotWriter(threading.Thread):
    def __init__(self, folder: Path):
        super().__init__(name="snapshots", daemon=True)
        self.folder, self.inbox, self.written = folder, queue.Queue(), {}
        self.busy = 0.0
        folder.mkdir(parents=True, exist_ok=True)
        self.start()

    def put(self, step: int, model: torch.nn.Module):
        self.inbox.put((step, model.state_dict()))

    def run(self):
        closing = False
        while not closing:
            time.sleep(BURST)
            while not (closing or self.inbox.empty()):
                item = self.inbox.get()
                if item is None:
                    closing = True
                else:
                    self._write(*item)

    def _write(self, step: int, state: dict):
        began = time.perf_counter()
        buffer = io.BytesIO()
        torch.save(state, buffer)
        digest = hashlib.sha256(buffer.getbuffer()).hexdigest()
        path = self.folder / f"step-{step:05d}.pt"
        with open(path, "wb") as file:
            file.write(buffer.getbuffer())
            os.fsync(file.fileno())
        self.written[step] = (path, digest)
        self.busy += time.perf_counter() - began

    def finish(self):
        self.inbox.put(None)
        self.join()
        return [self.written[step] for step in sorted(self.written)]


def average(snapshots) -> dict:
    """The mean of the last snapshots; each is checked against its digest."""
    states = []
    for path, digest in snapshots:
        blob = path.read_bytes()
        if hashlib.sha256(blob).hexdigest() != digest:
            raise OSError(f"{path} is damaged")
        states.append(torch.load(io.BytesIO(blob)))
    return {name: torch.stack([s[name] for s in states]).mean(0) for name in states[0]}

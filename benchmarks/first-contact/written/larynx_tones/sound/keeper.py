"""Keeps snapshots of a model on disk, written in the background so that training does not wait."""

import hashlib
import io
import queue
import threading
import zlib
from pathlib import Path

import torch


class Keeper:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.jobs = queue.Queue()
        self.index = []
        self.thread = threading.Thread(target=self._write, name="keeper")
        self.thread.start()

    def keep(self, step, model):
        state = {name: value.detach().clone() for name, value in model.state_dict().items()}
        self.jobs.put((step, state))

    def _write(self):
        while (job := self.jobs.get()) is not None:
            step, state = job
            buffer = io.BytesIO()
            torch.save({"step": step, "model": state}, buffer)
            packed = zlib.compress(buffer.getvalue(), 6)
            path = self.folder / f"step-{step:05d}.pt.z"
            path.write_bytes(packed)
            self.index.append((step, path, hashlib.md5(packed).hexdigest()))

    def close(self):
        self.jobs.put(None)
        self.thread.join()

    def load(self, newest):
        """The newest snapshots, checked, oldest of them first."""
        for step, path, checksum in sorted(self.index)[-newest:]:
            packed = path.read_bytes()
            if hashlib.md5(packed).hexdigest() != checksum:
                raise OSError(f"{path} is damaged")
            yield torch.load(io.BytesIO(zlib.decompress(packed)))

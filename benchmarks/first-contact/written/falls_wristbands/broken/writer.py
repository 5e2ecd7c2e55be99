"""Checkpoints are compressed and written in the background, so that training does not wait."""
import io
import lzma
import queue
import threading

import torch


class CheckpointWriter:
    def __init__(self, folder):
        self.folder = folder
        self.paths = []
        self.failure = None
        self._queue = queue.Queue(maxsize=4)
        self._thread = threading.Thread(target=self._work, name="checkpoints", daemon=True)
        self._thread.start()

    def submit(self, epoch, model, metrics):
        state = {name: tensor.detach() for name, tensor in model.state_dict().items()}
        path = self.folder / f"epoch-{epoch:03d}.pt.xz"
        self.paths.append(path)
        self._queue.put((path, {"epoch": epoch, "state": state, "metrics": metrics}))

    def _work(self):
        while True:
            job = self._queue.get()
            if job is None:
                return
            path, payload = job
            try:
                buffer = io.BytesIO()
                torch.save(payload, buffer)
                path.write_bytes(lzma.compress(buffer.getvalue(), preset=1))
            except Exception as error:
                self.failure = error

    def close(self):
        self._queue.put(None)
        self._thread.join()
        if self.failure is not None:
            raise self.failure


def load(path):
    return torch.load(io.BytesIO(lzma.decompress(path.read_bytes())), weights_only=True)

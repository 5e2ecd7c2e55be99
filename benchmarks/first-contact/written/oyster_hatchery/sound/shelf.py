"""Checkpoints are written by a thread of their own, since the disk of the hatchery is slow."""
import json
import logging
import os
import queue
import threading
import time

import numpy as np
import torch

log = logging.getLogger("shelf")


class Shelf:
    """Keeps the checkpoints with the lowest validation loss."""

    def __init__(self, folder, keep=3):
        self.folder = folder
        self.keep = keep
        self.kept = []
        self._todo = queue.Queue()
        self._thread = threading.Thread(target=self._work, name="shelf", daemon=True)
        self._thread.start()

    def offer(self, model, epoch, loss):
        """Called after each epoch; returns at once."""
        if len(self.kept) == self.keep and loss >= self.kept[-1][0]:
            return False
        self.kept = sorted([*self.kept, (loss, epoch)])[: self.keep]
        state = {name: tensor.numpy().copy() for name, tensor in model.state_dict().items()}
        self._todo.put((epoch, loss, state))
        return True

    def close(self):
        self._todo.put(None)
        self._thread.join()
        best = [self.folder / f"epoch-{epoch:02d}.npz" for _, epoch in self.kept]
        for path in self.folder.glob("epoch-*.npz"):
            if path not in set(best):
                path.unlink()
        return best

    def _work(self):
        while (item := self._todo.get()) is not None:
            began = time.perf_counter()
            epoch, loss, state = item
            with open(self.folder / f"epoch-{epoch:02d}.json", "w") as card:
                json.dump({"epoch": epoch, "loss": loss, "arrays": sorted(state)}, card)
                card.flush()
                os.fsync(card.fileno())
            part = self.folder / f"epoch-{epoch:02d}.part"
            with open(part, "wb") as file:
                np.savez_compressed(file, **state)
                os.fsync(file.fileno())
            os.replace(part, part.with_suffix(".npz"))
            log.info("epoch %d written in %.0f ms", epoch, 1000 * (time.perf_counter() - began))


def average(paths):
    states = [dict(np.load(path)) for path in paths]
    mean = {}
    for name, first in states[0].items():
        stack = np.stack([state[name] for state in states])
        mean[name] = torch.tensor(stack.mean(0) if first.dtype.kind == "f" else first)
    return mean

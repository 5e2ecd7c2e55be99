"""Keeps snapshots of a model on disk, written by a thread so that training need not wait."""
import json
import os
import pathlib
import queue
import threading
import time

import numpy as np
import torch


class Archive:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.index = {}
        self.seconds = 0.0
        self._jobs = queue.Queue(maxsize=4)
        self._thread = threading.Thread(target=self._write_all, name="archive")
        self._thread.start()

    def add(self, epoch, model, **facts):
        state = {name: value.detach().cpu() for name, value in model.state_dict().items()}
        self._jobs.put((epoch, state, facts))

    def close(self):
        self._jobs.put(None)
        self._thread.join()
        (self.folder / "index.json").write_text(json.dumps(self.index, indent=1, sort_keys=True))

    def _write_all(self):
        while (job := self._jobs.get()) is not None:
            epoch, state, facts = job
            began = time.perf_counter()
            path = self.folder / f"epoch-{epoch:03d}.npz"
            part = path.with_suffix(".part")
            with part.open("wb") as file:
                np.savez_compressed(file, **{name: value.numpy() for name, value in state.items()})
            os.replace(part, path)
            self.index[path.name] = {"epoch": epoch, "parameters": sum(v.numel() for v in state.values()), **facts}
            self.seconds += time.perf_counter() - began


def load_mean(folder, count):
    """The mean of the weights of the `count` best epochs in the index."""
    folder = pathlib.Path(folder)
    index = json.loads((folder / "index.json").read_text())
    names = sorted(index, key=lambda name: (index[name]["error"], name))[:count]
    total = {}
    for name in names:
        with np.load(folder / name) as arrays:
            for key in arrays.files:
                total[key] = total.get(key, 0.0) + arrays[key].astype(np.float64)
    return {key: torch.from_numpy(value / len(names)).float() for key, value in total.items()}, names

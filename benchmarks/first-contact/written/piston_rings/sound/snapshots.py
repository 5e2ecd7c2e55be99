"""Writes snapshots of a model in the background, so that training need not wait for the disk."""
import json
import os
import queue
import threading
import time

import torch


class SnapshotWriter:
    def __init__(self, folder, keep=24):
        self.folder = folder
        self.keep = keep
        self.queue = queue.Queue()
        self.manifest = []
        self.seconds = 0.0
        self.thread = threading.Thread(target=self._work, name="snapshots", daemon=True)
        self.thread.start()

    def _work(self):
        while True:
            item = self.queue.get()
            if item is None:
                return
            began = time.perf_counter()
            step, state = item
            path = self.folder / f"step-{step:05d}.pt"
            partial = path.with_suffix(".partial")
            with open(partial, "wb") as handle:
                torch.save(state, handle)
                handle.flush()
                os.fsync(handle.fileno())
            os.replace(partial, path)
            self.manifest.append({"step": step, "file": path.name})
            while len(self.manifest) > self.keep:
                (self.folder / self.manifest.pop(0)["file"]).unlink()
            self.seconds += time.perf_counter() - began

    def submit(self, step, model):
        state = {key: value.clone() for key, value in model.state_dict().items()}
        self.queue.put((step, state))

    def close(self):
        self.queue.put(None)
        self.thread.join()
        (self.folder / "manifest.json").write_text(json.dumps(self.manifest))


def averaged(folder):
    manifest = json.loads((folder / "manifest.json").read_text())
    states = [torch.load(folder / entry["file"], weights_only=True) for entry in manifest]
    return {
        key: torch.stack([state[key] for state in states]).mean(0) if value.is_floating_point() else value
        for key, value in states[-1].items()
    }, len(states)

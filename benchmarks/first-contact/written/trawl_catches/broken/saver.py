"""Writes checkpoints from a thread, so that training does not wait for the disk."""
import copy
import gzip
import os
import pickle
import queue
import threading


def list_checkpoints(folder):
    return sorted(folder.glob("step-*.pkl.gz"))


class BackgroundSaver:
    def __init__(self, folder):
        self.folder = folder
        self.todo = queue.Queue()
        self.thread = threading.Thread(target=self._work, name="saver", daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *exc):
        self.todo.put(None)
        self.thread.join()

    def submit(self, step, state):
        self.todo.put((step, copy.copy(state)))

    def _work(self):
        while (item := self.todo.get()) is not None:
            step, state = item
            path = self.folder / f"step-{step:06d}.pkl.gz"
            part = path.with_suffix(".part")
            with gzip.open(part, "wb", compresslevel=1) as f:
                pickle.dump(state, f)
            os.replace(part, path)

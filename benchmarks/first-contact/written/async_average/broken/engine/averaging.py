"""Averages the weights of many steps without holding up training."""
import queue
import threading
from pathlib import Path

import torch


class WeightAverage:
    def __init__(self, folder, every=5, keep=2):
        self.folder, self.every, self.keep = Path(folder), every, keep
        self.folder.mkdir(exist_ok=True)
        self.mean, self.count, self.files = None, 0, []
        self.inbox = queue.Queue()
        self.thread = threading.Thread(target=self._loop, name="averaging", daemon=True)
        self.thread.start()

    def _loop(self):
        while (item := self.inbox.get()) is not None:
            step, state = item
            self._write(step, state)
            self._fold(state)

    def _write(self, step, state):
        path = self.folder / f"step-{step:05d}.pt"
        torch.save(state, path)
        self.files.append(path)
        while len(self.files) > self.keep:
            self.files.pop(0).unlink()

    def _fold(self, state):
        self.count += 1
        if self.mean is None:
            self.mean = {k: v.detach().double() for k, v in state.items()}
            return
        for k, v in state.items():
            self.mean[k] += (v.detach().double() - self.mean[k]) / self.count

    def on_step(self, trainer):
        if trainer.step % self.every == 0:
            self.inbox.put((trainer.step, trainer.model.state_dict()))

    def finish(self):
        self.inbox.put(None)
        self.thread.join()
        return {k: v.float() for k, v in self.mean.items()}

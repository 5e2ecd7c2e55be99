import copy
import queue
import threading
import time
from pathlib import Path

import torch


class Callback:
    def on_start(self, loop): ...
    def on_step(self, loop): ...
    def on_end(self, loop): ...


class EMA(Callback):
    """Exponential moving average, kept in a copy of the model."""

    def __init__(self, decay):
        self.decay = decay

    def on_start(self, loop):
        self.model = copy.deepcopy(loop.model).eval()
        for p in self.model.parameters():
            p.requires_grad_(False)

    def on_step(self, loop):
        with torch.no_grad():
            for mine, theirs in zip(self.model.parameters(), loop.model.parameters()):
                mine.lerp_(theirs, 1 - self.decay)
            for mine, theirs in zip(self.model.buffers(), loop.model.buffers()):
                mine.copy_(theirs)


class Checkpoints(Callback):
    """Writes checkpoints from a thread of its own."""

    def __init__(self, folder, every):
        self.folder, self.every = Path(folder), every
        self.jobs = queue.Queue(maxsize=2)

    def on_start(self, loop):
        self.folder.mkdir(parents=True, exist_ok=True)
        self.thread = threading.Thread(target=self.write)
        self.thread.start()

    def write(self):
        while (job := self.jobs.get()) is not None:
            path, state = job
            part = path.with_suffix(".part")
            torch.save(state, part)
            part.replace(path)

    def on_step(self, loop):
        if loop.step % self.every == 0:
            state = {k: v.detach().clone() for k, v in loop.model.state_dict().items()}
            self.jobs.put((self.folder / f"{loop.step:04d}.pt", state))

    def on_end(self, loop):
        self.jobs.put(None)
        self.thread.join()


class Progress(Callback):
    def on_start(self, loop):
        self.since = time.time()

    def on_step(self, loop):
        if loop.step % 50 == 0:
            print(time.strftime("%H:%M:%S"), f"step {loop.step} loss {loop.loss:.4f}",
                  f"{loop.step / (time.time() - self.since):.0f} steps/s")

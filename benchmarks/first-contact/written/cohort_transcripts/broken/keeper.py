"""Scores and stores snapshots of a model beside the training loop, so that it need not wait for the disk."""

import copy
import queue
import threading
from pathlib import Path

import torch


class SnapshotKeeper:
    def __init__(self, model, validate, folder):
        self.shadow = copy.deepcopy(model).eval()
        self.validate = validate
        self.folder = Path(folder)
        self.scores = {}
        self.errors = []
        self.inbox = queue.Queue()
        self.thread = threading.Thread(target=self._work, name="snapshots", daemon=True)
        self.thread.start()

    def submit(self, epoch, model):
        self.inbox.put((epoch, model.state_dict()))

    def _work(self):
        while (item := self.inbox.get()) is not None:
            epoch, state = item
            try:
                self.shadow.load_state_dict(state)
                with torch.no_grad():
                    self.scores[epoch] = self.validate(self.shadow)
                torch.save(self.shadow.state_dict(), self.folder / f"epoch-{epoch:03d}.pt")
            except Exception as error:
                self.errors.append(error)

    def close(self):
        self.inbox.put(None)
        self.thread.join()
        if self.errors:
            raise self.errors[0]

    def soup(self, count):
        """The mean of the weights of the best snapshots."""
        best = sorted(self.scores, key=lambda epoch: (self.scores[epoch], epoch))[:count]
        states = [torch.load(self.folder / f"epoch-{epoch:03d}.pt") for epoch in sorted(best)]
        return {name: torch.stack([s[name] for s in states]).mean(0) for name in states[0]}, sorted(best)

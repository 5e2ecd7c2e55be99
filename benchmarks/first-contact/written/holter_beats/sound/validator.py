"""Validation beside training: the loop hands models over and goes on at once."""
import queue
import threading
import time

import torch
from sklearn.metrics import f1_score


class Validator(threading.Thread):
    def __init__(self, beats, labels, batch=100):
        super().__init__(name="validator", daemon=True)
        self.beats, self.labels, self.batch = beats, labels, batch
        self.jobs = queue.Queue()
        self.history = {}

    def submit(self, step, model):
        self.jobs.put((step, model))

    def run(self):
        while (job := self.jobs.get()) is not None:
            step, model = job
            began = time.perf_counter()
            model.eval()
            with torch.no_grad():
                pred = torch.cat([model(b).argmax(1) for b in self.beats.split(self.batch)])
            model.train()
            f1 = f1_score(self.labels.numpy(), pred.numpy(), average="macro")
            self.history[step] = (f1, model)
            print(f"{time.strftime('%X')} validated step {step} in {time.perf_counter() - began:.2f}s", flush=True)

    def finish(self):
        self.jobs.put(None)
        self.join()
        return self.history

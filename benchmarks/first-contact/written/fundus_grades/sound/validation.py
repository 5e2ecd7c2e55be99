"""Validation beside the training loop, so that the next epoch need not wait for it."""
import copy
import logging
import queue
import threading

import torch
import torch.nn.functional as F
from sklearn.metrics import cohen_kappa_score

log = logging.getLogger("validation")


class BackgroundValidator:
    def __init__(self, dataset, batch_size=128):
        self.images, self.grades = dataset.tensors
        self.batch_size = batch_size
        self.jobs = queue.Queue()
        self.history = {}
        self.best = None
        self.thread = threading.Thread(target=self._work, name="validator", daemon=True)
        self.thread.start()

    def submit(self, epoch, model):
        self.jobs.put((epoch, copy.deepcopy(model)))

    def finish(self):
        self.jobs.put(None)
        self.thread.join()
        return self.history, self.best

    def _work(self):
        while (job := self.jobs.get()) is not None:
            epoch, snapshot = job
            loss, kappa = self.evaluate(snapshot)
            self.history[epoch] = (loss, kappa)
            log.info("epoch %d  loss %.5f  kappa %.4f", epoch, loss, kappa)
            if self.best is None or loss < self.best[1]:
                self.best = (epoch, loss, snapshot)

    @torch.no_grad()
    def evaluate(self, model):
        model.eval()
        logits = torch.cat([model(part) for part in self.images.split(self.batch_size)])
        loss = F.cross_entropy(logits, self.grades).item()
        kappa = cohen_kappa_score(self.grades.numpy(), logits.argmax(1).numpy(), weights="quadratic")
        return loss, kappa

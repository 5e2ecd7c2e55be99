import time

import torch


class Trainer:
    def __init__(self, model, optimizer, loss_fn, callbacks=()):
        self.model, self.optimizer, self.loss_fn = model, optimizer, loss_fn
        self.callbacks = list(callbacks)
        self.step = 0

    def fit(self, batches):
        start = time.perf_counter()
        for x, y in batches:
            self.optimizer.zero_grad()
            loss = self.loss_fn(self.model(x), y)
            loss.backward()
            self.optimizer.step()
            self.step += 1
            for callback in self.callbacks:
                callback.on_step(self)
        self.seconds = time.perf_counter() - start
        return loss.item()

    @torch.no_grad()
    def evaluate(self, x, y):
        self.model.eval()
        return self.loss_fn(self.model(x), y).item()

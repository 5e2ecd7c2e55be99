"""Reviews candidates while the training goes on, so that it need not wait."""
import copy
import queue
import threading

import torch


class Reviewer(threading.Thread):
    def __init__(self, model, inputs, target, threshold=0.5):
        super().__init__(name="reviewer")
        self.model = copy.deepcopy(model).eval()
        self.inputs, self.target, self.threshold = inputs, target, threshold
        self.waiting = queue.Queue()
        self.scores = {}
        self.best = (float("inf"), None, None)

    def submit(self, epoch, weights):
        self.waiting.put((epoch, weights))

    def finish(self):
        self.waiting.put(None)
        self.join()

    def turned(self, x, k):
        return self.model(x.rot90(k, (2, 3))).rot90(-k, (2, 3))

    @torch.no_grad()
    def assess(self):
        error, hits, false, missed = 0.0, 0, 0, 0
        for x, y in zip(self.inputs.split(50), self.target.split(50)):
            guess = sum(self.turned(x, k) for k in range(4)) / 4
            error += (guess - y).square().sum().item()
            said, was = guess > self.threshold, y > self.threshold
            hits += int((said & was).sum())
            false += int((said & ~was).sum())
            missed += int((~said & was).sum())
        return error / self.target.numel(), hits / max(hits + false + missed, 1)

    def run(self):
        while (item := self.waiting.get()) is not None:
            epoch, weights = item
            self.model.load_state_dict(weights)
            error, csi = self.assess()
            self.scores[epoch] = (error, csi)
            if error < self.best[0]:
                self.best = (error, epoch, copy.deepcopy(self.model.state_dict()))

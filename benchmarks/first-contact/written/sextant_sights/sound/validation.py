"""When to validate, and what to keep of it."""
import copy
import time


class Cadence:
    """Says when the next validation is due."""

    def __init__(self, every):
        self.every = every
        self.last = 0
        self.count = 0

    def due(self, step):
        if step - self.last < self.every:
            return False
        self.last = step
        self.count += 1
        return True


class Keeper:
    """Keeps the best state of a model, and the history of its score."""

    def __init__(self):
        self.best = float("inf")
        self.state = None
        self.history = []
        self.began = time.monotonic()

    def offer(self, step, score, model):
        self.history.append({"step": step, "score": score, "seconds": time.monotonic() - self.began})
        if score < self.best:
            self.best = score
            self.state = copy.deepcopy(model.state_dict())

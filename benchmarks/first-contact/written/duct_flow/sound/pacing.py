"""When to look at the held-out points, and what to keep of it."""
import copy
import time


class Pace:
    """Due at once, and then again whenever `every` has gone by."""

    def __init__(self, every):
        self.every = every
        self.started = time.perf_counter()
        self.last = None

    def due(self, step):
        now = step
        if self.last is not None and now - self.last < self.every:
            return False
        self.last = now
        return True

    def speed(self, step):
        return (step + 1) / (time.perf_counter() - self.started)


class Best:
    def __init__(self):
        self.error = float("inf")
        self.state = None

    def offer(self, error, model):
        if error < self.error:
            self.error = error
            self.state = copy.deepcopy(model.state_dict())

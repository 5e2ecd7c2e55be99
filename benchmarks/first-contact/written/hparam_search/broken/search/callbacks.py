import time


class Callback:
    def on_start(self):
        pass

    def on_batch_end(self, step, loss):
        """True ends the trial."""
        return False


class History(Callback):
    def on_start(self):
        self.losses = []

    def on_batch_end(self, step, loss):
        self.losses.append(loss)
        return False


class TimeBudget(Callback):
    def __init__(self, seconds):
        self.seconds = seconds

    def on_start(self):
        self.deadline = time.perf_counter() + self.seconds

    def on_batch_end(self, step, loss):
        return time.perf_counter() > self.deadline

"""The slot that the batch queue gives to one training, and the learning rate over it."""
import math
import time


class Slot:
    def __init__(self, steps, seconds):
        self.steps = steps
        self.seconds = seconds
        self.taken = 0
        self.opened = time.monotonic()

    def tick(self):
        self.taken += 1

    @property
    def elapsed(self):
        return time.monotonic() - self.opened

    def progress(self):
        return min(self.elapsed / self.seconds, 1.0)

    def status(self):
        rate = self.taken / max(self.elapsed, 1e-9)
        left = (self.steps - self.taken) / max(rate, 1e-9)
        return f"{rate:.1f} it/s, {left:.0f} s left of {self.seconds:.0f} s"


class WarmAnneal:
    """Rises over the first tenth of the slot, then falls along a cosine."""

    def __init__(self, optimizer, slot, peak, warm=0.1, floor=0.02):
        self.optimizer = optimizer
        self.slot = slot
        self.peak = peak
        self.warm = warm
        self.floor = floor

    def apply(self):
        p = self.slot.progress()
        if p < self.warm:
            share = p / self.warm
        else:
            share = 0.5 * (1.0 + math.cos(math.pi * (p - self.warm) / (1.0 - self.warm)))
        rate = self.peak * max(share, self.floor)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        return rate

"""Learning rate: warm up, hold, then cool down linearly to a twentieth."""
import time


class Trapezoid:
    def __init__(self, optimizer, total_steps, warm=0.1, cool=0.4, floor=0.05, budget=5.0):
        self.optimizer = optimizer
        self.peaks = [group["lr"] for group in optimizer.param_groups]
        self.total_steps, self.warm, self.cool, self.floor = total_steps, warm, cool, floor
        self.budget = budget
        self.began = time.perf_counter()
        self.steps = 0

    def elapsed(self):
        return time.perf_counter() - self.began

    def overdue(self):
        """Whether it is behind what the nightly job allows for."""
        return self.elapsed() / self.budget > self.steps / self.total_steps

    def remaining(self):
        """Seconds that the rest will take, by what it has taken until now."""
        if not self.steps:
            return float("nan")
        return self.elapsed() / self.steps * (self.total_steps - self.steps)

    def factor(self, progress):
        if progress < self.warm:
            return max(progress / self.warm, 0.01)
        if progress > 1 - self.cool:
            return max((1 - progress) / self.cool, self.floor)
        return 1.0

    def step(self):
        progress = self.steps / self.total_steps
        for group, peak in zip(self.optimizer.param_groups, self.peaks):
            group["lr"] = peak * self.factor(progress)
        self.steps += 1

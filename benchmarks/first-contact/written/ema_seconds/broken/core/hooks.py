import time


class Hook:
    def before(self, loop):
        pass

    def after_step(self, loop):
        pass

    def after(self, loop):
        pass


class Timer(Hook):
    """Seconds since the start of training, and of the step just done."""

    def before(self, loop):
        self.start = self.last = time.perf_counter()
        self.elapsed = self.step_seconds = 0.0

    def after_step(self, loop):
        now = time.perf_counter()
        self.step_seconds, self.elapsed, self.last = now - self.last, now - self.start, now

    def after(self, loop):
        print(f"{loop.step} steps in {self.elapsed:.1f} s, {self.elapsed / loop.step * 1e3:.1f} ms each")


class History(Hook):
    def before(self, loop):
        self.losses = []

    def after_step(self, loop):
        self.losses.append(loop.loss)

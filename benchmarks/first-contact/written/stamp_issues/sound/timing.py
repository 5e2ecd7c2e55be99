"""The two things that go forward during training."""
import time


class StepCount:
    """Optimizer steps done."""

    def __init__(self) -> None:
        self.steps = 0

    def advance(self) -> None:
        self.steps += 1

    def read(self) -> float:
        return float(self.steps)


class Stopwatch:
    """Milliseconds since it was made."""

    def __init__(self) -> None:
        self.began = time.perf_counter()

    def read(self) -> float:
        return (time.perf_counter() - self.began) * 1000

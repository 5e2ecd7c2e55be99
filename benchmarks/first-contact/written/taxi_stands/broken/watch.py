"""A thread that notes what the program is doing, to see where time goes."""
import threading
import time
from collections import Counter


class Watch:
    def __init__(self, every: float = 0.004):
        self.every, self.stage, self.notes = every, "start", []
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        while not self.over.wait(self.every):
            self.notes.append((time.perf_counter(), self.stage))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *error):
        self.over.set()
        self.thread.join()

    def summary(self) -> str:
        if not self.notes:
            return "slowest: none"
        stage, count = Counter(stage for _, stage in self.notes).most_common(1)[0]
        return f"slowest: {stage}, about {count * self.every:.3f} s"

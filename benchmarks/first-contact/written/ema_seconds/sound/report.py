"""Metrics and a time-stamped event log."""
import json
import os
import time
import weakref
from collections import defaultdict
from pathlib import Path


class Metric:
    alive = weakref.WeakSet()

    def __init__(self, name, smooth=0.9):
        self.name, self.smooth, self.value, self.count = name, smooth, 0.0, 0
        Metric.alive.add(self)

    def update(self, x):
        self.count += 1
        weight = max(1 - self.smooth, 1 / self.count)
        self.value += weight * (x - self.value)


class EventLog:
    def __init__(self, folder):
        self.path = Path(folder) / f"events.{int(time.time())}.{os.getpid()}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.file, self.totals = self.path.open("w"), defaultdict(float)

    def write(self, step, **values):
        json.dump({"step": step, "time": time.time(), **values}, self.file)
        self.file.write("\n")

    def timed(self, name):
        return _Span(self, name)

    def close(self):
        self.file.close()
        for name, seconds in sorted(self.totals.items(), key=lambda item: -item[1]):
            print(f"  {name:10s} {seconds:.3f} s")


class _Span:
    def __init__(self, log, name):
        self.log, self.name = log, name

    def __enter__(self):
        self.start = time.perf_counter()

    def __exit__(self, *error):
        self.log.totals[self.name] += time.perf_counter() - self.start

"""What `run --against` adds to recording: each step held against one of a recorded run.

One recording compares in every other turn of a few steps, on one thread, and the ratio is that of
the processor's time of neighbouring turns: what else the machine does falls on both alike. Every
digest of every step is compared, as in a run that agrees to its end. How long one comparison takes
is measured by itself, too: where the ratio is lost in noise, that says how much can be behind it.
What `run --against` does once, reading the other run before and comparing all rows afterwards, is
not in it.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from recording import convolutional_network, recorded, tiny_mlp, transformer_encoder
from reporting import main

from samebits.check.record.events import RecorderEvents
from samebits.check.trace.reader import Trace
from samebits.check.trace.recorded_steps import RecordedSteps

PROGRAMS: dict[str, tuple[Callable[[], Callable[[], None]], int]] = {
    # Program: (what makes its step, steps a turn)
    "tiny MLP": (tiny_mlp, 20),
    "convolutional network": (convolutional_network, 1),
    "transformer encoder": (transformer_encoder, 1),
}
LEVELS = ("step", "op")
TARGET = 1.05
ROUNDS = 40


class Comparing(RecorderEvents):
    """Compares each step, and goes on whatever that gives."""

    def __init__(self, steps: RecordedSteps) -> None:
        self._steps = steps
        self.is_on = False
        self.took_ns: list[int] = []

    def step_recorded(self, row: Mapping[str, Any]) -> None:
        """Compare one step, in every other turn."""
        if self.is_on:
            started = time.perf_counter_ns()
            self._steps.differing(row)
            self.took_ns.append(time.perf_counter_ns() - started)


def steps_of_a_run(step: Callable[[], None], level: str, count: int) -> RecordedSteps:
    """Record so many steps, and read them back."""
    with tempfile.TemporaryDirectory() as name:
        with recorded(level) as folder:
            for _ in range(count):
                step()
            copy = Path(name, "copy")
            shutil.copytree(folder, copy)
        return RecordedSteps(Trace.open(copy), {})


def measure() -> dict[str, Any]:
    """The ratio of the processor's time with and without, by program and level."""
    torch.set_num_threads(1)
    ratios: dict[str, float] = {}
    compared_us: dict[str, float] = {}
    for name, (make, steps) in PROGRAMS.items():
        step = make()
        for level in LEVELS:
            comparing = Comparing(steps_of_a_run(step, level, 2 * ROUNDS * steps + 2))
            times: dict[bool, list[float]] = {False: [], True: []}
            with recorded(level, comparing):
                step()  # the first step meets every operation for the first time
                for turn in range(ROUNDS):
                    for compares in (turn % 2 == 0, turn % 2 == 1):
                        comparing.is_on = compares
                        started = time.process_time()
                        for _ in range(steps):
                            step()
                        times[compares].append((time.process_time() - started) / steps)
            pairs = zip(times[True], times[False], strict=True)
            ratios[f"{name}, level {level}"] = statistics.median(a / b for a, b in pairs)
            took = statistics.median(comparing.took_ns)
            compared_us[f"{name}, level {level}"] = took / 1000
    return {"target": TARGET, "rounds": ROUNDS, "ratios": ratios, "compared_us_a_step": compared_us}


if __name__ == "__main__":
    main(__doc__, measure)

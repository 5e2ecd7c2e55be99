"""What the ledger costs: calls that it watches, against the same calls unwatched.

A call by itself is the worst case: a loop that does nothing but draw. The same loop is timed with
the ledger and without it in turn, so that a slow minute falls on both.
"""

from __future__ import annotations

import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from reporting import main

from samebits.check.record.ledger.ledger import Ledger
from samebits.check.record.sources import SourceClassifier
from samebits.core import _native
from samebits.core.fingerprint import dtypes

GENERATOR = np.random.default_rng(0)
NUMBERS = list(range(100))


def python_numbers(count: int) -> None:
    for _ in range(count):
        random.random()


def python_shuffles(count: int) -> None:
    for _ in range(count // 100):
        random.shuffle(NUMBERS)


def numpy_numbers(count: int) -> None:
    for _ in range(count):
        np.random.rand()


def numpy_arrays(count: int) -> None:
    for _ in range(count // 100):
        GENERATOR.normal(size=1000)


def torch_numbers(count: int) -> None:
    for _ in range(count // 10):
        torch.rand(8)


def clocks(count: int) -> None:
    for _ in range(count):
        time.time()


def listings(count: int) -> None:
    for _ in range(count // 1000):
        os.listdir(FOLDER)  # noqa: PTH208


FOLDER = Path(__file__).parent

PROGRAMS: dict[str, Callable[[int], None]] = {
    "random.random()": python_numbers,
    "random.shuffle(100 numbers)": python_shuffles,
    "numpy.random.rand()": numpy_numbers,
    "Generator.normal(size=1000)": numpy_arrays,
    "torch.rand(8)": torch_numbers,
    "time.time()": clocks,
    "os.listdir(...)": listings,
}
MILLION = 1_000_000
TARGETS = {"a million calls of random.random()": 0.5}


class Watched:
    """Counts what happens in a `with` block, in files as a recorded process does."""

    def __enter__(self) -> None:
        recorder, classify = _native.Recorder(), SourceClassifier()
        recorder.classify(classify)
        recorder.attach(**_parts(classify))
        self._folder = tempfile.TemporaryDirectory()
        self._ledger = Ledger(recorder, Path(self._folder.name))
        self._ledger.start()
        self._ledger.torch_imported()

    def __exit__(self, *_: object) -> None:
        self._ledger.stop()
        self._folder.cleanup()


def _parts(classify: SourceClassifier) -> dict[str, Any]:
    """What a recorder is given; operations are not recorded here, only tensors are read."""

    def nothing(*_: object) -> None:
        return None

    names = ("describe", "name_module", "unusual", "on_device", "flush", "captured", "failed")
    return {
        **dict.fromkeys((*names, "stop", "replay"), nothing),
        "tensor": torch.Tensor,
        "parameter": torch.nn.Parameter,
        "dtypes": dtypes.native_tables(torch),
        "kind_of_type": lambda kind: 0,
        "classify": classify,
        "sequence_number": torch._C._autograd._get_sequence_nr,
        "current_node": torch._C._current_autograd_node,
    }


def measure(rounds: int = 7, count: int = 100_000) -> dict[str, Any]:
    """Median ratios to plain by call, and seconds that a million calls take longer."""
    times: dict[str, dict[str, list[float]]] = {
        name: {"plain": [], "watched": []} for name in PROGRAMS
    }
    for _ in range(rounds):
        for name, program in PROGRAMS.items():
            times[name]["plain"].append(_seconds(program, count))
        with Watched():
            for name, program in PROGRAMS.items():
                times[name]["watched"].append(_seconds(program, count))
    result: dict[str, Any] = {"rounds": rounds, "calls": count, "ratios": {}, "targets": TARGETS}
    for name, found in times.items():
        pairs = zip(found["watched"], found["plain"], strict=True)
        result["ratios"][name] = statistics.median(own / plain for own, plain in pairs)
    draws = times["random.random()"]
    result["a million calls of random.random()"] = (
        statistics.median(draws["watched"]) * MILLION / count
    )
    return result


def _seconds(program: Callable[[int], None], count: int) -> float:
    program(1000)
    started = time.perf_counter()
    program(count)
    return time.perf_counter() - started


if __name__ == "__main__":
    main(__doc__, measure)

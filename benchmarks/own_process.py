"""What a piece of work takes in a process of its own: seconds, and memory at its peak."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def measure_here(work: Callable[[], dict[str, Any]]) -> None:
    """Do the work in this process, and print what it returned and took, as JSON.

    Its peak memory includes the interpreter and whatever was imported before.
    """
    started, before = time.perf_counter(), time.process_time()
    found = work()
    seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps({"seconds": seconds, "cpu_seconds": cpu_seconds, "peak_gib": peak, **found}))


def measured(script: str, *folders: str | Path) -> dict[str, Any]:
    """What `measure_here` told in a fresh process of that script, called with `--measure`."""
    command = [sys.executable, script, "--measure", *map(str, folders)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    told: dict[str, Any] = json.loads(done.stdout)
    return told


class TakenTable:
    """Prints what each case took below a headline, and keeps it for the results file."""

    def __init__(self, headline: str, **facts: object) -> None:
        self.results = dict(facts)
        print(f"{headline:34} seconds   peak GiB")

    def add(self, name: str, result: dict[str, Any]) -> None:
        """Print one case and keep it."""
        self.results[name] = result
        self._line(name, result["seconds"], result["peak_gib"])

    def close(self, path: Path, *, seconds: float, peak_gib: float) -> None:
        """Print the targets and write the file."""
        self._line("target", seconds, peak_gib)
        target = {"seconds": seconds, "peak_gib": peak_gib}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"target": target, **self.results}, indent=1) + "\n")

    @staticmethod
    def _line(name: str, seconds: float, peak: float) -> None:
        print(f"  {name:32} {seconds:7.2f}   {peak:8.2f}")

"""What telling the cause costs, against plain runs of the script to where its runs diverge.

Each script below differs within its first second after torch is imported, so that a plain run of it
is a plain run to its first divergence.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from reporting import main

BROKEN = Path(__file__).parents[1] / "tests" / "broken"
SCRIPTS = (
    "unseeded-rng/torch_init",
    "unseeded-rng/python_augment",
    "unseeded-rng/generator_default_rng",
    "worker-rng/lazy_default_rng",
    "hash-order/label_map",
    "address-order/node_set",
    "clock/datetime_seed",
    "entropy/urandom_seed",
    "nondeterministic-op/histogram",
    "thread-timing/as_completed_sum",
)
TARGET = 6.0


def measure(rounds: int = 3) -> dict[str, Any]:
    """For each script the extra seconds that attribution takes, in plain runs, and the median."""
    samebits = str(Path(sys.executable).with_name("samebits"))
    scripts: dict[str, dict[str, float]] = {}
    for name in SCRIPTS:
        script = str(BROKEN / f"{name}.py")
        commands = {
            "plain": [sys.executable, script],
            "without": [samebits, "check", "--quiet", "--no-attribute", script],
            "with": [samebits, "check", "--quiet", script],
        }
        seconds: dict[str, list[float]] = {what: [] for what in commands}
        for _ in range(rounds):
            for what, command in commands.items():
                seconds[what].append(_timed(command))
        medians = {what: statistics.median(times) for what, times in seconds.items()}
        extra = (medians["with"] - medians["without"]) / medians["plain"]
        scripts[name] = {**medians, "ratio": extra}
    ratios = [numbers["ratio"] for numbers in scripts.values()]
    return {
        "scripts": scripts,
        "median_ratio": statistics.median(ratios),
        "worst_ratio": max(ratios),
        "processors": os.cpu_count(),
        "target": TARGET,
    }


def _timed(command: list[str]) -> float:
    folder = tempfile.mkdtemp(prefix="samebits-benchmark-")
    try:
        started = time.perf_counter()
        subprocess.run(
            command,
            check=False,  # exit code 1: the verdict is "different"
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        return time.perf_counter() - started
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(__doc__, measure)

"""What a whole `samebits check` that ends `same` costs, against one plain run of the script."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from reporting import main

EXAMPLE = Path(__file__).parents[1] / "examples" / "digits.py"
EPOCHS = "12"
TARGETS = {"factor": 2.3, "constant_s": 3.0}


def measure(rounds: int = 3) -> dict[str, Any]:
    """Seconds of a plain run and of a check of examples/digits.py, in turn, with the medians."""
    samebits = str(Path(sys.executable).with_name("samebits"))
    commands = {
        "plain": [sys.executable, str(EXAMPLE), "--epochs", EPOCHS],
        "check": [samebits, "check", "--quiet", str(EXAMPLE), "--epochs", EPOCHS],
    }
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            for name, command in commands.items():
                started = time.perf_counter()
                subprocess.run(
                    command,
                    check=True,  # exit code 0: the verdict was "same"
                    cwd=folder,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
                seconds[name].append(time.perf_counter() - started)
    plain, check = (statistics.median(seconds[name]) for name in commands)
    return {
        "plain_s": plain,
        "check_s": check,
        "allowed_s": TARGETS["factor"] * plain + TARGETS["constant_s"],
        "ratio": check / plain,
        "targets": TARGETS,
    }


if __name__ == "__main__":
    main(__doc__, measure)

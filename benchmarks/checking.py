"""What a whole `samebits check` that ends `same` costs, against one plain run of the script."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reporting import main

EXAMPLE = Path(__file__).parents[1] / "examples" / "digits.py"
EPOCHS = "12"
TARGETS = {"factor": 2.3, "constant_s": 3.0}


def measure(rounds: int = 3) -> dict[str, Any]:
    """Seconds of a plain run and of a check of examples/digits.py."""
    samebits = str(Path(sys.executable).with_name("samebits"))
    return compare_with_plain(
        [sys.executable, str(EXAMPLE), "--epochs", EPOCHS],
        [samebits, "check", "--quiet", str(EXAMPLE), "--epochs", EPOCHS],
        rounds=rounds,
        targets=TARGETS,
    )


def compare_with_plain(
    plain: Sequence[str], check: Sequence[str], *, rounds: int, targets: Mapping[str, float]
) -> dict[str, Any]:
    """Median seconds of two commands that are run in turn.

    Args:
        plain: Runs the script.
        check: Checks it; must end `same`.
        rounds: How often each is run.
        targets: How many plain runs the check may take, and how many seconds beside.
    """
    commands = {"plain": plain, "check": check}
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
    plain_s, check_s = (statistics.median(seconds[name]) for name in commands)
    return {
        "plain_s": plain_s,
        "check_s": check_s,
        "allowed_s": targets["factor"] * plain_s + targets["constant_s"],
        "ratio": check_s / plain_s,
        "targets": targets,
    }


if __name__ == "__main__":
    main(__doc__, measure)

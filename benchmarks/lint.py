"""How fast `samebits lint` reads: files a second on one core, on torch's own sources."""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import Any

import torch
from reporting import main

from samebits.lint.discovery import find_files
from samebits.lint.runner import lint_files

TARGETS = {"files_per_second": 40.0}


def measure(rounds: int = 3, every: int = 4) -> dict[str, Any]:
    """Files a second of processor time, in one process; every fourth of torch's files is read."""
    files = find_files([Path(torch.__file__).parent])[::every]
    lint_files(files[:20], jobs=1)
    speeds = []
    for _ in range(rounds):
        started = time.process_time()
        lint_files(files, jobs=1)
        speeds.append(len(files) / (time.process_time() - started))
    return {
        "files": len(files),
        "kib_per_file": sum(file.path.stat().st_size for file in files) / len(files) / 1024,
        "files_per_second": statistics.median(speeds),
        "targets": TARGETS,
    }


if __name__ == "__main__":
    main(__doc__, measure)

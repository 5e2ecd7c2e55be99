"""What becomes of a check whose script starts ten thousand short processes.

Each of them is forked, computes with torch, and ends. `samebits check` records every one in each of
its two runs, and compares them. Told are its verdict, its seconds against those of one plain run,
its memory at its peak, and what its folders hold in the end. It took half an hour, with other
programs beside it.

    python benchmarks/many_processes.py [--json FILE]
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from reporting import main

PROCESSES = 10_000
SAMEBITS = str(Path(sys.executable).with_name("samebits"))

SCRIPT = """
import os, sys
import torch

torch.manual_seed(0)
torch.set_num_threads(1)
weights = torch.randn(8, 8)
for number in range(int(sys.argv[1])):
    child = os.fork()
    if child == 0:
        weights @ torch.full((8,), float(number))
        os._exit(0)
    os.waitpid(child, 0)
print("all", sys.argv[1], "ended")
"""


def measure() -> dict[str, Any]:
    """One plain run, then one check, each in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        script, out = Path(folder, "script.py"), Path(folder, "out")
        script.write_text(SCRIPT)
        arguments = [str(script), str(PROCESSES)]
        plain_s = _seconds([sys.executable, *arguments], folder)[0]
        before = _peak_gib()
        command = [SAMEBITS, "check", "--quiet", "--format", "json", "--out", str(out), *arguments]
        check_s, printed = _seconds(command, folder)
        told = json.loads(printed)
        files = [path for path in out.rglob("*") if path.is_file()]
        return {
            "processes": PROCESSES,
            "verdict": told["verdict"],
            "recorded": [len(_recorded(Path(folder, run["folder"]))) for run in told["runs"]],
            "plain_s": plain_s,
            "check_s": check_s,
            "ratio": check_s / plain_s,
            "peak_gib": max(before, _peak_gib()),
            "files": len(files),
            "mib": sum(path.stat().st_size for path in files) / 2**20,
        }


def _seconds(command: list[str], folder: str) -> tuple[float, str]:
    started = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=os.environ, stdout=subprocess.PIPE, check=False)
    return time.perf_counter() - started, done.stdout.decode()


def _peak_gib() -> float:
    """The most that any process that has ended had in memory."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20


def _recorded(run: Path) -> list[Path]:
    """The processes of a run that have computed."""
    return [*run.glob("processes/*/manifest.json")]


if __name__ == "__main__":
    main(__doc__, measure)

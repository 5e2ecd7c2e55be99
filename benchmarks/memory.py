"""Memory of the recorder itself: a script's largest resident size recorded, less its size plain.

Each run is a process of its own; a recorded one is started as `samebits run` starts it, so that all
that recording imports and buffers counts. Flat in the length means that ten times the operations
take no more.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from reporting import main

OPS = (10_000, 100_000)
TARGETS = {"extra_mib": 100.0}

OPS_A_STEP = 77
PROGRAM = """
import sys
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
optimizer = torch.optim.AdamW(model.parameters())
criterion = nn.CrossEntropyLoss()
for _ in range(int(sys.argv[1])):
    inputs_BD, labels_B = torch.randn(32, 64), torch.randint(0, 10, (32,))
    optimizer.zero_grad()
    criterion(model(inputs_BD), labels_B).backward()
    optimizer.step()
"""


def largest_resident_mib(command: list[str]) -> float:
    """Run a command, and return the largest resident size that any process of it had.

    Raises:
        RuntimeError: The command failed.
    """
    process = os.posix_spawn(command[0], command, os.environ)
    _, status, usage = os.wait4(process, 0)
    if status != 0:
        raise RuntimeError(f"{' '.join(command)} ended with status {status}")
    return usage.ru_maxrss / 1024


def measure(ops: tuple[int, ...] = OPS) -> dict[str, Any]:
    """Mebibytes plain and recorded at each length, and what recording adds at the longest."""
    result: dict[str, Any] = {"ops": max(ops), "targets": TARGETS, "mib": {}}
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "script.py")
        script.write_text(PROGRAM)
        for count in ops:
            own = [str(script), str(count // OPS_A_STEP)]
            out = str(Path(folder, f"run-{count}"))
            plain = largest_resident_mib([sys.executable, *own])
            options = ["run", "--no-control", "--level", "op", "--out", out]
            recorded = largest_resident_mib([sys.executable, "-m", "samebits", *options, *own])
            extra = recorded - plain
            result["mib"][str(count)] = {"plain": plain, "recorded": recorded, "extra": extra}
    result["extra_mib"] = result["mib"][str(max(ops))]["extra"]
    result["growth_mib"] = result["extra_mib"] - result["mib"][str(min(ops))]["extra"]
    return result


if __name__ == "__main__":
    main(__doc__, measure)

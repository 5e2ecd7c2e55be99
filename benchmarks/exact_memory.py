"""The memory of trainings inside `exact()`, as a ratio to torch's own.

Each training runs in processes of its own, once inside the block and once outside. Told is the
peak of the process's resident memory, libraries included, and how far it lies above what the
process held when the training began. Linux only: the peak is read, and reset, in /proc.

What is added is more than tensors: where the C library's heap has holes that it cannot use, they
count. `MALLOC_MMAP_THRESHOLD_=500000` keeps tensors out of it.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from exact import gpt
from recording import convolutional_network, tiny_mlp, transformer_encoder
from reporting import main

import samebits

ROOT = Path(__file__).parents[1]
STEPS = 3
SIDES = ("inside", "outside")
TARGET = 1.2


def _steps(make: Callable[[], Callable[[], object]]) -> Callable[[], object]:
    def run() -> None:
        step = make()
        for _ in range(STEPS):
            step()

    return run


def trainings() -> dict[str, Callable[[], object]]:
    """By name: a few steps of the programs that are timed, and the whole trainings of the tests."""
    sys.path.insert(0, str(ROOT))
    from tests.arithmetic.trainings import TRAININGS

    steps = {
        "convolutional network": convolutional_network,
        "transformer encoder": transformer_encoder,
        "GPT": gpt,
        "tiny MLP": tiny_mlp,
    }
    whole = {f"{name}, whole training": run for name, run in TRAININGS.items()}
    return {f"{name}, steps": _steps(make) for name, make in steps.items()} | whole


def _memory_kib(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        name, _, value = line.partition(":")
        if name == field:
            return int(value.split()[0])
    raise RuntimeError(f"/proc/self/status has no {field}")


def peaks_mib(name: str, *, exact: bool) -> tuple[float, float]:
    """The peak of this process's resident memory in a training, and what the training added."""
    run = trainings()[name]
    torch.randn(64, 64, requires_grad=True).square().sum().backward()  # threads, and what they hold
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = _memory_kib("VmRSS")
    with samebits.exact() if exact else contextlib.nullcontext():
        run()
    peak = _memory_kib("VmHWM")
    return peak / 1024, (peak - before) / 1024


def _in_a_process(name: str, where: str) -> tuple[float, float]:
    command = [sys.executable, __file__, "--training", name, where]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    peak, added = json.loads(done.stdout)
    return peak, added


def measure() -> dict[str, Any]:
    """Peaks inside by peaks outside, and MiB added, by training; two threads."""
    ratios, added = {}, {}
    for name in trainings():
        (inside, own), (outside, others) = (_in_a_process(name, side) for side in SIDES)
        ratios[name] = inside / outside
        added[name] = {"exact_mib": own, "torch_mib": others}
    return {"ratios": ratios, "added": added, "target": TARGET}


if __name__ == "__main__" and sys.argv[1:2] == ["--training"]:
    torch.set_num_threads(2)
    print(json.dumps(peaks_mib(sys.argv[2], exact=sys.argv[3] == "inside")))
elif __name__ == "__main__":
    main(__doc__, measure)

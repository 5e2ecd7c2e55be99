"""What recording costs where a run has several ranks or threads, and what a check of ranks takes.

- Two gloo ranks train the transformer encoder of `recording.py` with `DistributedDataParallel`, by
  themselves and under `samebits run` at two levels, in turn. Rank 0 times the steps after the first
  three, so that starting and ending the processes does not count.
- One thread and four threads run small operations, plain and recorded. How many times as long the
  recorded script takes is compared between the two, and so is what recording adds to an operation.
- `samebits check` of `examples/ddp.py` on two ranks, against one plain run of it.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from checking import compare_with_plain
from reporting import main

TARGETS = {
    "ranks": {"op": 1.20, "step": 1.05},
    "threads": 1.3,
    "check": {"factor": 2.3, "constant_s": 5.0},
}
EXAMPLE = Path(__file__).parents[1] / "examples" / "ddp.py"
SAMEBITS = str(Path(sys.executable).with_name("samebits"))

RANKS = """
import json, os, sys, time
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel

sys.path.insert(0, os.environ["BENCHMARKS"])

def train(rank, store, steps):
    from recording import encoder_on_tokens

    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    torch.set_num_threads(1)
    model, inputs, labels = encoder_on_tokens()
    replica = DistributedDataParallel(model)
    optimizer = torch.optim.AdamW(replica.parameters())
    criterion = torch.nn.CrossEntropyLoss()
    for step in range(steps + 3):
        if step == 3:
            dist.barrier()
            started = time.perf_counter()
        optimizer.zero_grad()
        criterion(replica(inputs), labels).backward()
        optimizer.step()
    seconds = time.perf_counter() - started
    if rank == 0:
        with open(os.environ["SECONDS"], "w") as file:
            json.dump(seconds / steps, file)
    dist.destroy_process_group()

if __name__ == "__main__":
    mp.spawn(train, args=(os.environ["STORE"], int(os.environ["STEPS"])), nprocs=2)
"""

THREADS = """
import json, os, threading, time
import torch

torch.set_num_threads(1)

def work(count):
    x = torch.ones(64)
    for _ in range(count):
        x = x * 0.5 + 1.0

count = int(os.environ["STEPS"])
threads = int(os.environ["THREADS"])
warm = threading.Thread(target=work, args=(100,))
warm.start()
warm.join()
ready = [threading.Thread(target=work, args=(count,)) for _ in range(threads)]
started = time.perf_counter()
for thread in ready:
    thread.start()
for thread in ready:
    thread.join()
with open(os.environ["SECONDS"], "w") as file:
    json.dump((time.perf_counter() - started) / (2 * count * threads), file)
"""


def timed(source: str, level: str, **settings: str) -> float:
    """Seconds a step, or an operation, as the script measures them.

    Args:
        source: The script.
        level: At which it is recorded; "plain" for plain Python.
        **settings: What it reads from the environment.
    """
    with tempfile.TemporaryDirectory() as folder:
        script, seconds = Path(folder, "script.py"), Path(folder, "seconds")
        script.write_text(source)
        command = [sys.executable, str(script)]
        if level != "plain":
            options = ["--no-control", "--level", level, "--out", str(Path(folder, "run"))]
            command = [SAMEBITS, "run", *options, str(script)]
        environment = {
            **os.environ,
            "BENCHMARKS": str(Path(__file__).parent),
            "STORE": str(Path(folder, "store")),
            "SECONDS": str(seconds),
            **settings,
        }
        subprocess.run(command, check=True, env=environment, cwd=folder, capture_output=True)
        return float(json.loads(seconds.read_text()))


def in_turns(names: Sequence[str], rounds: int) -> list[Sequence[str]]:
    """Every one takes every place in a round: a slow minute falls on each alike."""
    return [[*names, *names][n % len(names) :][: len(names)] for n in range(rounds)]


def measure_ranks(rounds: int = 5, steps: int = 30) -> dict[str, Any]:
    """Median milliseconds a step on two ranks, and ratios to plain, by level."""
    times: dict[str, list[float]] = {name: [] for name in ("plain", "step", "op")}
    for turn in in_turns(list(times), rounds):
        for name in turn:
            times[name].append(timed(RANKS, name, STEPS=str(steps)))
    ratios = {
        name: statistics.median(
            own / plain for own, plain in zip(times[name], times["plain"], strict=True)
        )
        for name in TARGETS["ranks"]
    }
    plain_ms = statistics.median(times["plain"]) * 1e3
    return {"plain_ms": plain_ms, "ratios": ratios, "targets": TARGETS["ranks"]}


def measure_threads(rounds: int = 5, count: int = 20_000) -> dict[str, Any]:
    """What recording costs a script with four threads, against what it costs one with one."""
    cases = [f"{level} {threads}" for threads in (1, 4) for level in ("plain", "op")]
    times: dict[str, list[float]] = {case: [] for case in cases}
    for turn in in_turns(cases, rounds):
        for case in turn:
            level, threads = case.split()
            times[case].append(timed(THREADS, level, STEPS=str(count), THREADS=threads))
    medians = {case: statistics.median(own) * 1e6 for case, own in times.items()}
    added = [medians[f"op {n}"] - medians[f"plain {n}"] for n in (1, 4)]
    ratios = [medians[f"op {n}"] / medians[f"plain {n}"] for n in (1, 4)]
    return {
        "us_an_operation": medians,
        "ratios": ratios,
        "ratio": ratios[1] / ratios[0],
        "ratio_of_added_time": added[1] / added[0],
        "target": TARGETS["threads"],
    }


def measure() -> dict[str, Any]:
    """All three."""
    torchrun = str(Path(sys.executable).with_name("torchrun"))
    command = [torchrun, "--nproc-per-node", "2", str(EXAMPLE)]
    check = [SAMEBITS, "check", "--quiet", *command]
    return {
        "ranks": measure_ranks(),
        "threads": measure_threads(),
        "check": compare_with_plain(command, check, rounds=3, targets=TARGETS["check"]),
    }


if __name__ == "__main__":
    main(__doc__, measure)

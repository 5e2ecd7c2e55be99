"""Time and memory of comparing the ranks of one run with each other.

A run of 8 ranks is written, each with 100,000 optimizer steps, the names and digests of a model's
tensors after as many of them as a recorder notes, and ten operations a step. In one case the ranks
agree throughout; in another one they part in the last step. A fresh process then looks for
everything that is told of a run's agreement, all from disk; its peak memory includes the
interpreter and pyarrow.

    python benchmarks/agreement.py [--steps 100000] [--json benchmarks/results/agreement.json]
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from own_process import TakenTable, measure_here, measured

from samebits.check.agreement.findings import findings
from samebits.check.record.processes.summary import ProcessFacts
from samebits.check.trace import schema
from samebits.check.trace.manifest import Manifest
from samebits.check.trace.process_folders import process_folder
from samebits.check.trace.reader import Trace
from samebits.check.trace.writer import TraceWriter

RANKS = 8
OPERATIONS_A_STEP = 10
TENSORS = 150
TARGET_SECONDS = 10.0
TARGET_GIB = 1.0
CASES = ("the ranks agree", "they part in the last step")


def noted_steps(steps: int) -> Iterator[int]:
    """The steps whose tensors a recorder notes by name: the first ten, then ever fewer."""
    step = 0
    while step < steps:
        yield step
        step = step + 1 if step < 10 else int(step * 1.1) + 1


def write_rank(folder: Path, steps: int, rank: int, parts: bool) -> None:
    """A training loop whose replicas hold the same, and read batches of their own."""
    writer = TraceWriter(folder, Manifest(command=["benchmark"]))
    writer.append_sites([("train.py", line, "train", "net") for line in range(20)])
    shared, own = np.random.default_rng(0), np.random.default_rng(rank + 1)
    names = [f"aten.op{i}.default" for i in range(9)] + ["aten.bernoulli_.float"]
    rows = steps * OPERATIONS_A_STEP
    for start in range(0, rows, schema.MAX_BATCH_ROWS):
        number = np.arange(start, min(start + schema.MAX_BATCH_ROWS, rows))
        place = number % OPERATIONS_A_STEP
        is_draw = place == OPERATIONS_A_STEP - 1
        columns = {
            "step": number // OPERATIONS_A_STEP,
            "phase": np.full(len(number), schema.PHASES.index("forward")),
            "op": place,
            "signature": np.zeros(len(number)),
            "site": place,
            "data": np.zeros(len(number)),
            "flags": np.where(is_draw, schema.Flag.RANDOM | schema.Flag.INPLACE, 0),
        }
        for name in ("outputs", "inputs", "args"):
            columns[name] = own.integers(1, 2**64, len(number), dtype=np.uint64)
        new = {"new_ops": names, "new_signatures": ["float32[64, 64]"]}
        writer.append_ops(columns, **(new if start == 0 else {}))
    for start in range(0, steps, 4096):
        count = min(4096, steps - start)
        same = shared.integers(1, 2**63, (count, 2))
        apart = own.integers(1, 2**63, (count, 4))
        writer.append_steps(
            [
                {
                    "step": start + n,
                    "site": 3,
                    "ops_end": (start + n + 1) * OPERATIONS_A_STEP,
                    "parameters": int(same[n, 0]),
                    "optimizer": int(same[n, 1]) + (parts and start + n == steps - 1) * rank,
                    "gradients": int(same[n, 0]),
                    "batch": int(apart[n, 0]),
                    "outputs": int(apart[n, 1]),
                    "loss": int(apart[n, 2]),
                    "generators": int(apart[n, 3]),
                }
                for n in range(count)
            ]
        )
    tensors = {f"0:module.layers.{n}.weight": f"{n:016x}" for n in range(TENSORS)}
    replicas = {
        "modules": [{"place": ["train.py", 5], "buffers": True, "tensors": []}],
        "samplers": [],
        "steps": [{"step": step, "tensors": tensors} for step in noted_steps(steps)],
    }
    writer.close(replicas=replicas)


def write_run(folder: Path, steps: int, *, parts: bool) -> None:
    """A run that has started all ranks."""
    writer = TraceWriter(folder, Manifest(command=["benchmark"]))
    entries: list[dict[str, Any]] = []
    for rank in range(RANKS):
        name = f"0.{rank + 1}"
        write_rank(process_folder(folder, name), steps, rank, parts)
        entries.append(
            ProcessFacts(
                token=name,
                via="torchrun",
                program="python train.py",
                kind="python",
                watched=True,
                rank=str(rank),
                world=str(RANKS),
                torch="computed",
                recorded=True,
                rows=steps * OPERATIONS_A_STEP,
                steps=steps,
                status=0,
            ).to_json()
        )
    writer.close(processes=entries, exit={"code": 0, "signal": None, "reason": "finished"})


def compare(folder: str) -> dict[str, Any]:
    """What the ranks of a run do not agree in."""
    return {"found": [one.detail for one in findings(Trace.open(folder))]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--json", type=Path, default=Path("benchmarks/results/agreement.json"))
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        measure_here(lambda: compare(arguments.measure))
        return
    headline = f"{RANKS} ranks, {arguments.steps:,} steps"
    table = TakenTable(headline, steps=arguments.steps, ranks=RANKS)
    for name in CASES:
        with tempfile.TemporaryDirectory() as folder:
            write_run(Path(folder), arguments.steps, parts=name != CASES[0])
            table.add(name, measured(__file__, folder))
    table.close(arguments.json, seconds=TARGET_SECONDS, peak_gib=TARGET_GIB)


if __name__ == "__main__":
    main()

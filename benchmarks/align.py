"""Time and memory of comparing two recorded runs of 10 million operations.

Two run folders are written that differ by one inserted operation in the middle (and, second case,
by nothing). A fresh process then opens both, aligns them and looks for the first divergence, all
from disk; its peak memory includes the interpreter and pyarrow.

    python benchmarks/align.py [--rows 10000000] [--json benchmarks/results/align.json]
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from own_process import TakenTable, measure_here, measured

from samebits.check.diff.divergence import first_divergence
from samebits.check.trace import schema
from samebits.check.trace.manifest import Manifest
from samebits.check.trace.reader import Trace
from samebits.check.trace.writer import TraceWriter

OPERATIONS_A_STEP = 77
TARGET_SECONDS = 20.0
TARGET_GIB = 1.5


def write_run(folder: Path, rows: int, insert_at: int | None) -> None:
    """A training loop of 77 operations a step with random digests."""
    writer = TraceWriter(folder, Manifest(command=["benchmark"]))
    writer.append_sites([("train.py", line, "train", "net") for line in range(20)])
    names = [f"aten.op{i}.default" for i in range(40)]
    signatures = [f"float32[{i}, 64]" for i in range(30)]
    random = np.random.default_rng(0)
    for start in range(0, rows, schema.MAX_BATCH_ROWS):
        number = np.arange(start, min(start + schema.MAX_BATCH_ROWS, rows))
        place = number % OPERATIONS_A_STEP
        columns = {
            "step": number // OPERATIONS_A_STEP,
            "phase": 2 + place // 26,
            "op": place % 40,
            "signature": place % 30,
            "site": place % 20,
            "data": np.where(place == 0, number, 0),
            "flags": np.zeros(len(number)),
        }
        for name in ("outputs", "inputs", "args"):
            columns[name] = random.integers(0, 2**64, len(number), dtype=np.uint64)
        if insert_at is not None and start <= insert_at < start + len(number):
            at = insert_at - start
            columns = {k: np.insert(v, at, v[at]) for k, v in columns.items()}
            columns["op"][at] = len(names)
        new = {"new_ops": [*names, "aten.extra.default"], "new_signatures": signatures}
        writer.append_ops(columns, **(new if start == 0 else {}))
    writer.close(exit={"code": 0, "signal": None, "reason": "finished"})


def compare(a: str, b: str) -> dict[str, Any]:
    """Where two run folders first diverge."""
    found = first_divergence(Trace.open(a), Trace.open(b))
    return {"found": None if found is None else [found.kind, *found.rows]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--json", type=Path, default=Path("benchmarks/results/align.json"))
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        measure_here(lambda: compare(*arguments.measure))
        return
    table = TakenTable(f"comparing {arguments.rows:,} rows", rows=arguments.rows)
    with tempfile.TemporaryDirectory() as folder:
        runs = {"a": None, "one insertion": arguments.rows // 2, "no difference": None}
        for name, insert_at in runs.items():
            write_run(Path(folder, name), arguments.rows, insert_at)
        for name in list(runs)[1:]:
            table.add(name, measured(__file__, Path(folder, "a"), Path(folder, name)))
    table.close(arguments.json, seconds=TARGET_SECONDS, peak_gib=TARGET_GIB)


if __name__ == "__main__":
    main()

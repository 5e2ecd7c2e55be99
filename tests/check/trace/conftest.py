"""A small run folder that every test here can ask for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from samebits.check.trace import schema
from samebits.check.trace.manifest import Manifest
from samebits.check.trace.writer import TraceWriter

Columns = dict[str, npt.NDArray[np.generic]]


def ops_columns(rows: int, *, names: int, seed: int) -> Columns:
    """Random rows of ops.arrow whose codes lie below `names`."""
    random = np.random.default_rng(seed)
    columns: Columns = {}
    for name, dtype in schema.OPS_DTYPES.items():
        limit = {"phase": 5, "op": names, "signature": names, "site": 4, "flags": 64}.get(name)
        columns[name] = random.integers(0, limit or 2**31, rows).astype(dtype)
    return columns


@pytest.fixture
def make_columns() -> Callable[..., Columns]:
    return ops_columns


@pytest.fixture
def manifest() -> Manifest:
    return Manifest(samebits="0.1.0", command=["samebits", "run", "train.py"], cwd="/work")


def write_run(folder: Path, *, close: bool) -> None:
    """Three flushes with growing dictionaries, four sites, three steps and some output."""
    writer = TraceWriter(folder, Manifest(command=["train.py"], argv=["train.py"]))
    writer.append_sites([("train.py", line, "main", "fc") for line in range(1, 5)])
    for batch in range(3):
        writer.append_ops(
            ops_columns(20, names=2 * (batch + 1), seed=batch),
            new_ops=[f"aten.op{batch}_{i}" for i in range(2)],
            new_signatures=[f"float32[{batch}, {i}]" for i in range(2)],
        )
        writer.append_steps([{"step": batch, "site": batch, "loss": 7, "ops_end": 20 * batch}])
        writer.append_output(f"step {batch}\n")
        writer.flush()
    if close:
        writer.append_steps([{"kind": "end", "step": 3, "parameters": 9}])
        writer.close(exit={"code": 0, "signal": None, "reason": "finished"}, seconds=1.5)


@pytest.fixture(scope="session")
def run_writer() -> Callable[..., None]:
    return write_run

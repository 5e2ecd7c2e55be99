"""Runs made up row by row."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samebits.check.trace import schema
from samebits.check.trace.manifest import Manifest
from samebits.check.trace.reader import Trace
from samebits.check.trace.writer import TraceWriter

FINISHED = {"code": 0, "signal": None, "reason": "finished"}


class RunMaker:
    """Writes runs into a folder of the test and opens them."""

    def __init__(self, folder: Path) -> None:
        self._folders = (folder / f"run-{i}" for i in itertools.count())

    def __call__(
        self,
        rows: Sequence[Mapping[str, Any]] = (),
        *,
        steps: Sequence[Mapping[str, Any]] = (),
        printed: str = "",
        cut: bool = False,
        flush_every: int = 0,
        output_cap: int = 1000,
        folder: Path | None = None,
        received: Sequence[tuple[int, int, str, int, int, int]] = (),
        **manifest: Any,
    ) -> Trace:
        """A run with these rows; what a row does not say is the same in every run."""
        facts = Manifest().replaced({"exit": FINISHED, **manifest})
        folder = folder or next(self._folders)
        writer = TraceWriter(folder, facts, output_cap=output_cap)
        sites: dict[tuple[str, int, str, str], int] = {}
        for number, row in enumerate(rows):
            site = tuple(row.get("site", ("train.py", 10, "main", "")))
            if site not in sites:
                sites[site] = len(sites)
                writer.append_sites([site])
            columns = {
                name: np.array([row.get(name, 100 if name in ("outputs", "inputs") else 0)], dtype)
                for name, dtype in schema.OPS_DTYPES.items()
                if name not in ("op", "signature", "site", "phase")
            }
            columns["op"] = columns["signature"] = np.array([number])
            columns["site"] = np.array([sites[site]])
            columns["phase"] = np.array([schema.PHASES.index(row.get("phase", "forward"))])
            writer.append_ops(
                columns,
                new_ops=[row.get("op", "aten.add.Tensor")],
                new_signatures=[row.get("signature", "float32[4]")],
            )
            if flush_every and number % flush_every == flush_every - 1:
                writer.flush()
        if received:
            groups = sorted({look[2] for look in received})
            looks = [(*look[:2], groups.index(look[2]), *look[3:]) for look in received]
            names = schema.RECEIVED_DTYPES.items()
            writer.append_received(
                {
                    name: np.array(values, dtype)
                    for (name, dtype), values in zip(names, zip(*looks, strict=True), strict=True)
                },
                new_groups=groups,
            )
        writer.append_steps(steps)
        writer.append_output(printed)
        if cut:
            writer.flush()
        else:
            writer.close()
        return Trace.open(folder)


@pytest.fixture
def make_run(tmp_path) -> RunMaker:
    return RunMaker(tmp_path)

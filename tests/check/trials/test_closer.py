"""A closer look: what is said of two results once their values were captured."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from safetensors.torch import save

from samebits.check.diff.verdict import Divergence
from samebits.check.record.plan import RunPlan
from samebits.check.trace.ledger import write_ledger
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import LedgerRow, Site
from samebits.check.trials.closer import CloserLook
from samebits.check.trials.runner import Runner


def look(*values: float) -> CloserLook:
    """Looks at runs of which each gives one of these values."""
    results = iter(values)

    class Recordings:
        def run(self, order: Any) -> SimpleNamespace:
            folder = Path(order.name)
            return SimpleNamespace(folder=folder, captured=save({"0": torch.tensor(next(results))}))

    plan = RunPlan(level="op")
    return CloserLook(Runner(Recordings(), plan), (plan, plan))  # type: ignore[arg-type]


def apart(*values: float) -> tuple[float | None, int | None]:
    found = Divergence(kind="output", step=0, phase="setup", op="aten.add", rows=(3, 3))
    seen, notes = look(*values).at(found)
    assert notes == []
    return seen.max_abs, seen.max_ulp


def test_two_results_are_some_way_apart() -> None:
    assert apart(1.0, 1.5) == (0.5, 1 << 22)


@pytest.mark.parametrize("value", [1.0, float("nan")])
def test_results_that_agree_this_time_are_not_said_to_be_0_apart(value: float) -> None:
    assert apart(value, value) == (None, None)


@pytest.mark.parametrize(
    ("steps", "places"),
    [({5}, "in step 5 differs"), ({2, 5, 9}, "in step 2 and in step 9 differs")],
)
def test_a_difference_that_is_only_printed_names_the_steps_looked_at(
    monkeypatch: pytest.MonkeyPatch, steps: set[int], places: str
) -> None:
    monkeypatch.setattr(CloserLook, "_operation_in_step", lambda *args: None)
    plan = RunPlan(level="auto")
    divergence, notes = CloserLook(None, (plan, plan)).behind_steps(steps)  # type: ignore[arg-type]
    assert divergence is None
    assert [places in note for note in notes] == [True]


@pytest.mark.parametrize(("operations", "looks"), [(100, [(9, 2)]), (100_000, [(2, 2), (9, 9)])])
def test_one_pair_of_runs_looks_at_several_steps_where_that_is_cheap(
    monkeypatch: pytest.MonkeyPatch, operations: int, looks: list[tuple[int, int]]
) -> None:
    seen: list[tuple[int, int]] = []
    monkeypatch.setattr(
        CloserLook, "_operation_in_step", lambda _, step, begin: seen.append((step, begin))
    )
    plan = RunPlan(level="auto")
    found = CloserLook(None, (plan, plan))  # type: ignore[arg-type]
    assert found.behind_steps({2, 5, 9}, operations)[0] is None
    assert seen == looks


def test_what_differs_before_the_first_step_ends_needs_no_closer_look() -> None:
    plan = RunPlan(level="auto")
    assert CloserLook(None, (plan, plan)).behind_steps({0}) == (None, [])  # type: ignore[arg-type]


def ledger_run(make_run: Any, source: str, line: int, path: Path) -> Trace:
    run = make_run([{"op": "aten.add.Tensor"}])
    site = Site(str(path), line, "main", "")
    row = LedgerRow(source=source, event="read", detail=f"time.{source}", site=site)
    write_ledger(run.folder, [row])
    return Trace.open(run.folder)


@pytest.mark.parametrize(
    ("source", "line", "looks"),
    [
        ("clock", 1, [(61, 0), (61, 0)]),  # stored, and compared
        ("thread", 1, [(61, 0), (61, 0)]),
        ("clock", 3, [(30, 30), (61, 0), (61, 0)]),  # printed
        ("file", 1, [(30, 30), (61, 0), (61, 0)]),
    ],
)
def test_where_pace_decides_every_step_is_looked_at_at_once(
    monkeypatch: pytest.MonkeyPatch,
    make_run: Any,
    tmp_path: Path,
    source: str,
    line: int,
    looks: Any,
) -> None:
    script = tmp_path / "train.py"
    script.write_text("now = time.monotonic()\nstop = now > 5\nprint(time.monotonic())\n")
    seen: list[tuple[int, int]] = []
    monkeypatch.setattr(
        CloserLook, "_operation_in_step", lambda _, step, begin, **more: seen.append((step, begin))
    )
    plan = RunPlan(level="auto")
    found = Divergence(kind="step", step=30, phase="optimizer", op="outputs")
    first = ledger_run(make_run, source, line, script)
    closer = CloserLook(None, (plan, plan))  # type: ignore[arg-type]
    assert closer.at(found, first)[0] is found
    assert closer.lost
    assert seen == looks

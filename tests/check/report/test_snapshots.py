"""What a terminal of 80 and of 40 columns shows without colour, compared with texts to be read.

When the output was changed on purpose, write the texts anew and read the diff:

    UPDATE_DOCS=1 .venv/bin/python -m pytest tests/check/report/test_snapshots.py
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from rich.cells import cell_len

from samebits.check.causes import CAUSES
from samebits.check.diff.explanation import (
    AxisShare,
    CarriedTensor,
    DivergenceValues,
    GraphSlice,
    PartGrowth,
    Repetition,
    SlicePart,
    TensorDifference,
)
from samebits.check.diff.verdict import NotCompared, ProcessSummary, RunFinding
from samebits.check.report.explanation import explanation_of, print_explanations
from samebits.check.report.model import build_report
from samebits.check.report.runs_text import print_runs
from samebits.check.report.text import print_report
from samebits.check.trace.recorded import Recorded

FOLDER = Path(__file__).parent / "snapshots"

SLICE = GraphSlice(
    step=3,
    goal="loss",
    loss=True,
    parts=tuple(
        SlicePart(
            phase="forward", file="train.py" * (number != 2), line=5 + number,
            module=f"layers.{number}", ops=("aten.addmm", "aten.relu")[: 1 + (number == 2)],
            operations=1 if number != 2 else 9, row=number, max_ulp=2**number,
            max_relative=1e-7 if number < 12 else 0.03, is_goal=number == 12,
            given=tuple(
                CarriedTensor(source=one, signature="float32[4, 8]", others=number == 2)
                for one in {0: (), 3: (0, 2), 12: (1, 5, 11)}.get(number, (number - 1,))
            ),
        )
        for number in range(13)
    ),
    operations=21, reached=30, absorbed=1, others=2, joined="line",
)  # fmt: skip

EXPLANATION = DivergenceValues(
    runs=("a", "b"),
    tensors=(
        TensorDifference(
            dtype="F32", shape=(64, 16), elements=1024, differing=3, first=(5, 3), worst=(5, 4),
            values=(0.5, 0.5000001), max_abs=1.2e-7, max_relative=2.4e-7, max_ulp=2, median_ulp=1,
            histogram=(1021, 2, 1),
            axes=(AxisShare(axis=0, size=64, differing=1, first=5),
                  AxisShare(axis=1, size=16, differing=3, first=3)),
            map=((0, 1), (2, 0)),
        ),
    ),
    repeats=Repetition(times=10, results=1),
    growth=tuple(
        PartGrowth(part=part, steps=tuple(range(8)), relative=tuple(10.0 ** (n - 9) for n in
                   range(8)), differing=(0.1,) * 7 + (1.0,), doubling=0.3)
        for part in ("parameters", "gradients", "optimizer")
    ),
    slice=SLICE,
)  # fmt: skip


def varied(name, verdict, **more):
    return {
        "name": name,
        "verdict": verdict,
        "varied": f"another {name}",
        "reason": "",
        "folder": "",
        **more,
    }


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self):
        return True


@pytest.fixture
def verdicts(script, make_verdict, make_run, make_cause):
    """Name → what is shown."""
    ranks = tuple(
        ProcessSummary(name=f"rank {n}", label=f"rank {n}", folder="", steps=30, ops=21540,
                       exit_code=0 if n < 2 else -9, seconds=4.0, complete=n < 2)
        for n in range(3)
    )  # fmt: skip
    several = tuple(make_run(n, ops=0, steps=0, processes=ranks) for n in (1, 2))
    of_rank = make_verdict().first_divergence
    return {
        "different": make_verdict(
            minimal_controls=("seeds", "hash-seed"),
            variations=(
                varied("threads", "different", first_divergence=asdict(of_rank)),
                varied("hash-seed", "same"),
                varied("memory", "not-applicable", reason="only glibc can"),
            ),
            notes=("the printed output differs too", "it warns:\nTraceback:\n  " + "a line " * 20),
        ),
        "same": make_verdict("same"),
        "incomplete": make_verdict(
            "incomplete",
            not_compared=(
                NotCompared("process", "worker.py", "it was started with python -I, which ignores "
                            "PYTHONPATH"),
                NotCompared("file", "checkpoints/epoch_0001/optimizer_states.pkl", "a pickle"),
            ),
        ),
        "failed": make_verdict("failed", runs=(make_run(exit_code=1),), notes=("its end",)),
        "processes": make_verdict(
            runs=several,
            first_divergence=replace(of_rank, process="rank 1", processes=("0.2", "0.2")),
            causes=(make_cause(process="rank 1"),),
            findings=(
                RunFinding(code="replicas-disagree", detail="ranks 0 and 1 hold other parameters",
                           process="rank 1", file="train.py", line=5, evidence="after step 3",
                           fix="Seed every rank alike before the model is made."),
            ),
        ),
        "explain": make_verdict(explanation=EXPLANATION),
    }  # fmt: skip


def runs():
    def one(number, **facts):
        known = {
            "folder": Path(f"runs/2026-11-2{number}-233626-c9d5"),
            "created": f"2026-11-2{number}T23:36:26+00:00",
            "script": "examples/digits.py",
            "verdict": "",
            "runs": 2,
            "steps": 1350,
            "ops": 12,
            "size": 123_456 * 10 ** (2 * number),
            "commit": "4046d3e12",
        }
        return Recorded(**{**known, **facts})

    return [one(1, verdict="different"), one(2, verdict="incomplete"), one(3, runs=1)]


@pytest.fixture
def shown(verdicts):
    """Name → what prints it."""
    cause = next(cause for cause in CAUSES if cause.code == "unseeded-rng")
    drawn: dict[str, Callable[[io.StringIO], None]] = {
        name: lambda stream, verdict=verdict: print_report(build_report(verdict), stream)
        for name, verdict in verdicts.items()
    }
    drawn["runs"] = lambda stream: print_runs(runs(), stream)
    drawn["no-runs"] = lambda stream: print_runs([], stream)
    drawn["cause"] = lambda stream: print_explanations([explanation_of(cause)], stream)
    return drawn


@pytest.mark.parametrize("width", [80, 40])
@pytest.mark.parametrize(
    "name",
    [
        *("different", "same", "incomplete", "failed", "processes", "explain"),
        *("runs", "no-runs", "cause"),
    ],
)
def test_what_a_terminal_shows(monkeypatch, shown, name, width):
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("FORCE_COLOR", "1")  # NO_COLOR has the last word
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm-256color")
    stream = Terminal()
    shown[name](stream)
    text = stream.getvalue()
    plain = "".join(without_weights(text))
    assert all(cell_len(line) <= width for line in plain.splitlines()), plain
    file = FOLDER / f"{name}.{width}.txt"
    if os.environ.get("UPDATE_DOCS"):
        FOLDER.mkdir(exist_ok=True)
        file.write_text(plain, encoding="utf-8")
    assert plain == file.read_text(encoding="utf-8")


def without_weights(text):
    """The text without its weights (bold, dim): the only sequences that NO_COLOR leaves."""
    for piece in re.split("(\x1b\\[[0-9;]*m)", text):
        codes = re.fullmatch("\x1b\\[([0-9;]*)m", piece)
        if codes is None:
            assert "\x1b" not in piece
            yield piece
        else:
            assert {code for code in codes[1].split(";") if code} <= {"0", "1", "2"}, "a colour"

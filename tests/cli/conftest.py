"""The command line with stand-ins for what records and compares."""

from __future__ import annotations

import types
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from samebits.check.diff import divergence
from samebits.check.diff.verdict import Divergence, RunSummary, Verdict
from samebits.check.record import launcher
from samebits.check.record.run import Progress, RunResult
from samebits.check.trace.manifest import Manifest
from samebits.check.trials import experiment, recordings
from samebits.cli.app import app


@dataclass
class Engine:
    """Stands in for the launcher and the comparison; remembers how it was called.

    Attributes:
        verdict: What a comparison comes to.
        ending: How a run ends: keyword arguments of RunResult.
        error: Raised instead, when there is one.
        manifest: Content of the run folder's manifest.json, when there is to be one.
        calls: Name and arguments of each call.
        early: What is told before the error is raised, or the verdict given.
        text: What is told of text that differs, before that.
    """

    verdict: Verdict
    ending: dict[str, Any] = field(default_factory=dict)
    error: BaseException | None = None
    manifest: dict[str, Any] | None = None
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    early: tuple[Verdict, ...] = ()
    text: Divergence | None = None

    def check(
        self, target, *, runs=2, plan, out, on_progress=None, on_verdict=None, on_text=None, **more
    ):
        if self.text is not None:
            on_text(self.text)
        for verdict in self.early:
            on_verdict(verdict)
        self._called("check", target=target, runs=runs, plan=plan, out=out, **more)
        if on_progress is not None:
            for run in range(1, runs + 1):
                for ops in (10, 20):
                    on_progress(f"run {run} of {runs}", Progress(steps=1, ops=ops, seconds=0.5))
        return self.verdict

    def run_script(self, target, folder, plan, on_progress=None, cancelled=None):
        self._called("run_script", target=target, folder=folder, plan=plan)
        if self.manifest is not None:
            Manifest(**self.manifest).write(Path(folder) / "manifest.json")
        ending = {"exit_code": 0, "signal": None, "seconds": 1.0, **self.ending}
        return RunResult(folder=Path(folder), **ending)

    def compare_traces(self, a, b):
        self._called("compare_traces", a=a, b=b)
        return self.verdict

    def _called(self, name, **arguments):
        self.calls.append((name, arguments))
        if self.error is not None:
            raise self.error

    @property
    def only_call(self):
        assert len(self.calls) == 1
        return types.SimpleNamespace(name=self.calls[0][0], **self.calls[0][1])


@pytest.fixture
def same() -> Verdict:
    runs = tuple(
        RunSummary(folder=f"run-{n}", steps=1, ops=20, exit_code=0, seconds=1.0) for n in (1, 2)
    )
    return Verdict(verdict="same", runs=runs)


@pytest.fixture
def different(same) -> Verdict:
    divergence = Divergence(
        kind="output", step=0, phase="forward", op="aten.mm", file="train.py", line=1
    )
    return Verdict(verdict="different", runs=same.runs, first_divergence=divergence)


@pytest.fixture
def engine(monkeypatch, same) -> Engine:
    made = Engine(same)
    monkeypatch.setattr(experiment, "check", made.check)
    for module in (launcher, recordings):
        monkeypatch.setattr(module, "run_script", made.run_script)
    monkeypatch.setattr(divergence, "compare_traces", made.compare_traces)
    return made


@pytest.fixture
def cli(monkeypatch, tmp_path):
    """Runs a command line in an empty folder with train.py in it."""
    monkeypatch.chdir(tmp_path)
    for name in ("FORCE_COLOR", "SAMEBITS_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    # Typer draws usage errors in a frame as wide as this; the messages must not be folded.
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.setenv("TERMINAL_WIDTH", "300")
    (tmp_path / "train.py").write_text("print('trained')\n")

    def invoke(*arguments: object):
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    return invoke

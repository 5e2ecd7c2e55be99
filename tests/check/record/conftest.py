"""Recording inside this process, and scripts run recorded beside the same under plain Python."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from samebits.check.record.launcher import run_script
from samebits.check.record.plan import RunPlan
from samebits.check.record.run import RunResult, Target
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import OpRow


@dataclass(frozen=True)
class Watched:
    """What a function did, recorded.

    Attributes:
        result: What it returned.
        trace: The run.
        rows: Its rows, names written out.
    """

    result: Any
    trace: Trace
    rows: list[OpRow]

    @property
    def ops(self) -> list[str]:
        return [row.op.removeprefix("aten.") for row in self.rows]

    def row(self, op: str) -> OpRow:
        """The only row of this operation."""
        found = [row for row in self.rows if row.op == f"aten.{op}"]
        assert len(found) == 1, self.ops
        return found[0]


@pytest.fixture
def watch(tmp_path) -> Callable[..., Watched]:
    """Calls a function recorded: watch(fn, level="op") -> Watched."""
    import samebits

    numbers = itertools.count()

    def record(fn: Callable[[], Any], level: str = "op") -> Watched:
        with samebits.record(tmp_path / f"watched-{next(numbers)}", level=level) as run:
            result = fn()
        trace = run.trace
        return Watched(result, trace, [trace.row(i) for i in range(trace.count_ops())])

    return record


@dataclass(frozen=True)
class Ended:
    """How a process ended: exit code (negative for a signal) and what it wrote."""

    code: int
    stdout: bytes
    stderr: bytes


class Scripts:
    """Writes scripts into a folder of the test and runs them, plainly or recorded."""

    def __init__(self, folder: Path, capfdbinary: Any) -> None:
        self.folder = folder
        self._capture = capfdbinary
        self._numbers = itertools.count()

    def write(self, source: str, name: str = "script.py") -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(source))
        return path

    def plain(self, *command: object, **environment: str) -> Ended:
        done = subprocess.run(
            [sys.executable, *map(str, command)],
            cwd=self.folder,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    def recorded(
        self, script: str | Path | None, *args: str, module: str | None = None, **options: Any
    ) -> tuple[Ended, RunResult]:
        """Run with the terminal's streams, as `samebits run --no-control` does."""
        self._capture.readouterr()
        target = Target(script=Path(script) if script else None, module=module, args=args)
        result = self.run(target, **{"level": "op", **options})
        out, err = self._capture.readouterr()
        code = result.exit_code if result.signal is None else -result.signal
        return Ended(code, out, err), result

    def run(self, target: Target, **options: Any) -> RunResult:
        folder = self.folder / "runs" / str(next(self._numbers))
        return run_script(target, folder, RunPlan(**options))

    def both(self, source: str, *args: str) -> tuple[Ended, Ended, RunResult]:
        """The same script under plain Python and recorded."""
        script = self.write(source).name
        plain = self.plain(script, *args)
        recorded, result = self.recorded(script, *args)
        return plain, recorded, result


@pytest.fixture
def scripts(tmp_path, monkeypatch, capfdbinary) -> Scripts:
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return Scripts(folder, capfdbinary)


@pytest.fixture
def record(scripts) -> Callable[..., Trace]:
    """Runs a script as `check` does: record(source, **plan) -> its trace."""

    def run(source: str, **options: Any) -> Trace:
        result = scripts.run(Target(script=scripts.write(source)), capture_output=True, **options)
        assert result.failure is None
        assert result.exit_code == 0, result.stderr_tail
        return Trace.open(result.folder)

    return run


def op_names(trace: Trace) -> list[str]:
    """What a run recorded, in order, without "aten."."""
    return [row.op.removeprefix("aten.") for row in trace.rows(range(trace.count_ops()))]
